#include "civitas/report/gantt.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <set>
#include <sstream>

namespace civitas::report {
namespace {

/// The characters of one row.
std::string marks_of(const std::vector<GanttSpan>& spans, const std::vector<GanttKind>& kinds,
                     double end_s, std::size_t slots) {
    const double slot_s = end_s / static_cast<double>(slots);
    std::string marks;
    auto next = spans.begin();
    for (std::size_t slot = 0; slot < slots; ++slot) {
        const double begin = slot_s * static_cast<double>(slot);
        const double end = begin + slot_s;
        while (next != spans.end() && next->end_s <= begin) ++next;
        std::vector<double> share(kinds.size());
        double idle = slot_s;
        for (auto span = next; span != spans.end() && span->begin_s < end; ++span) {
            const double overlap = std::min(end, span->end_s) - std::max(begin, span->begin_s);
            share.at(span->kind) += overlap;
            idle -= overlap;
        }
        const auto most = std::max_element(share.begin(), share.end());
        const bool busy = most != share.end() && *most > 0 && *most >= idle;
        marks += busy ? kinds[static_cast<std::size_t>(most - share.begin())].mark : '.';
    }
    return marks;
}

std::string axis_of(double end_s, std::size_t slots) {
    std::string axis(slots, ' ');
    const double step = tick_step(end_s, static_cast<int>(slots / 14));
    for (int tick = 0; tick * step < end_s; ++tick) {
        const auto at = static_cast<std::size_t>(tick * step / end_s * static_cast<double>(slots));
        const std::string label = '|' + time_text(tick * step, end_s);
        if (at + label.size() <= slots) axis.replace(at, label.size(), label);
    }
    return axis.substr(0, axis.find_last_not_of(' ') + 1);
}

std::string legend_of(const Gantt& gantt, std::size_t columns) {
    std::string lines;
    std::string line;
    const auto entry = [&](const std::string& words) {
        const std::size_t gap = line.empty() ? 0 : 2;
        if (line.size() + gap + words.size() > columns) {
            lines += line + '\n';
            line.clear();
        }
        line += (line.empty() ? "" : "  ") + words;
    };
    for (const std::size_t kind : gantt.kinds_used())
        entry(text(gantt.kinds[kind].mark, ' ', gantt.kinds[kind].name));
    entry(". idle");
    return lines + line + '\n';
}

}  // namespace

double Gantt::end_s() const {
    double end = 0;
    for (const GanttRow& row : rows)
        for (const auto* spans : {&row.spans, &row.beside})
            for (const GanttSpan& span : *spans) end = std::max(end, span.end_s);
    return end;
}

std::vector<std::size_t> Gantt::kinds_used() const {
    std::set<std::size_t> used;
    for (const GanttRow& row : rows)
        for (const auto* spans : {&row.spans, &row.beside})
            for (const GanttSpan& span : *spans) used.insert(span.kind);
    return {used.begin(), used.end()};
}

std::string to_text(const Gantt& gantt, std::size_t columns) {
    std::size_t margin = 0;
    for (const GanttRow& row : gantt.rows) margin = std::max(margin, row.label.size() + 1);
    ensure(columns >= 40 && margin < columns / 2, "there is room for the rows");
    const std::size_t slots = columns - margin;
    const double end_s = gantt.end_s();
    std::ostringstream out;
    const auto line = [&](const std::string& label, const std::vector<GanttSpan>& spans) {
        out << std::left << std::setw(static_cast<int>(margin)) << label
            << marks_of(spans, gantt.kinds, end_s, slots) << '\n';
    };
    for (const GanttRow& row : gantt.rows) {
        line(row.label, row.spans);
        if (!row.beside.empty()) line("", row.beside);
    }
    out << std::string(margin, ' ') << axis_of(end_s, slots) << '\n' << legend_of(gantt, columns);
    return out.str();
}

double tick_step(double end, int count) {
    ensure(end > 0 && count > 0, "an axis has a length");
    const double least = end / count;
    const double power = std::pow(10, std::floor(std::log10(least)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= least * (1 - 1e-9)) return factor * power;
    return 10 * power;
}

std::string time_text(double seconds, double scale) {
    const auto in = [&](double unit, const char* name) {
        std::ostringstream out;
        out << std::setprecision(4) << seconds / unit << ' ' << name;
        return out.str();
    };
    if (scale >= 2) return in(1, "s");
    return scale >= 2e-3 ? in(1e-3, "ms") : in(1e-6, "us");
}

}  // namespace civitas::report
