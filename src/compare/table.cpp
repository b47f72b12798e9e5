#include "civitas/compare/output.hpp"

#include "figures_text.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/compare/recommendation.hpp"

#include <algorithm>
#include <sstream>

namespace civitas::compare {
namespace {

std::string padded(const std::string& name) {
    constexpr std::size_t width = 20;
    return name + std::string(name.size() < width ? width - name.size() : 1, ' ');
}

/// Cells are as wide as the widest of their column, and two spaces apart.
std::string lines_of(const std::vector<std::vector<std::string>>& rows) {
    std::vector<std::size_t> widths(rows.front().size());
    for (const auto& row : rows)
        for (std::size_t i = 1; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    std::string lines;
    for (const auto& row : rows) {
        lines += padded(row.front());
        for (std::size_t i = 1; i < row.size(); ++i)
            lines += std::string(2 + widths[i] - row[i].size(), ' ') + row[i];
        lines += '\n';
    }
    return lines;
}

/// Broken where lines would be longer than a terminal's.
std::string wrapped(const std::string& words) {
    constexpr std::size_t columns = 100;
    std::istringstream in(words);
    std::string all, line;
    for (std::string word; in >> word;) {
        if (!line.empty() && line.size() + 1 + word.size() > columns) {
            all += line + '\n';
            line.clear();
        }
        line += (line.empty() ? "" : " ") + word;
    }
    return all + line + '\n';
}

/// `4.40 MB a step, 2 ways; longest waited for: 1 -> 0, 82.5 ms`
std::string in_words(const std::vector<CutOverRounds>& cuts) {
    std::int64_t bytes = 0;
    for (const CutOverRounds& cut : cuts) bytes += cut.bytes;
    const auto waited = [](const CutOverRounds& cut) { return spread_of(cut.waited_s).median; };
    const CutOverRounds& worst = *std::max_element(
        cuts.begin(), cuts.end(),
        [&](const CutOverRounds& a, const CutOverRounds& b) { return waited(a) < waited(b); });
    return text(fixed(static_cast<double>(bytes) / 1e6, 2), " MB a step, ", cuts.size(),
                " ways; longest waited for: ", worst.from, " -> ", worst.to, ", ",
                seconds_in_words(waited(worst)));
}

/// A line for each strategy with a pipe.
std::string cuts_in_words(const Comparison& c) {
    std::string lines;
    for (const Outcome& o : c.outcomes)
        if (const auto cuts = cuts_over_rounds(o); !cuts.empty())
            lines += padded(o.strategy.name) + in_words(cuts) + '\n';
    if (lines.empty()) return lines;
    return "\nThrough the cuts of pipes:\n" + lines;
}

/// A line for each strategy that was compared.
std::string figures_in_words(const Comparison& c) {
    const auto columns = columns_of(c);
    std::vector<std::vector<std::string>> rows{{"strategy"}};
    for (const Column& column : columns) rows.front().push_back(column.name);
    for (const Outcome& o : c.outcomes) {
        if (!o.why_not.empty()) continue;
        rows.push_back({o.strategy.name});
        for (const Column& column : columns) rows.back().push_back(column.cell(o));
    }
    return lines_of(rows);
}

}  // namespace

std::string subject_in_words(const Subject& s) {
    return text("batches of ", s.batch, " tiles in micro-batches of ", s.micro_batch, ", ",
                s.precision, "; ", s.ranks, s.ranks == 1 ? " rank, " : " ranks, ",
                resources_in_words(s));
}

std::string method_in_words(const Subject& s) {
    if (s.steps == 0) return text("Nothing was trained: predicted by ", s.predicted_by, '.');
    return text("Each strategy trained ", s.steps, " steps from the same weights in each of ",
                counted(s.rounds, "round", "rounds"), ", in turn; the first ",
                counted(s.warm_up, "step does", "steps do"),
                " not count. Figures are medians of rounds. Predicted by ", s.predicted_by, '.');
}

std::string why_empty(const Comparison& c) {
    if (c.has_any() || c.outcomes.empty()) return "";
    const auto told = std::find_if(c.outcomes.begin(), c.outcomes.end(),
                                   [](const Outcome& o) { return !o.hint.empty(); });
    const Outcome& o = told == c.outcomes.end() ? c.outcomes.front() : *told;
    return Error(text("no strategy could be compared, and no file is written: ", o.strategy.name,
                      ": ", o.why_not),
                 Hint{o.hint})
        .what();
}

std::string to_text(const Comparison& c) {
    std::ostringstream out;
    out << c.subject.workload << ": " << subject_in_words(c.subject) << '\n';
    if (c.has_any()) out << wrapped(method_in_words(c.subject)) << '\n' << figures_in_words(c);
    for (const Outcome& o : c.outcomes)
        if (!o.why_not.empty())
            out << padded(o.strategy.name) << "  not compared: " << o.why_not << '\n';
    out << cuts_in_words(c);
    const Recommendation advice = recommend(c);
    out << '\n' << wrapped(advice.words);
    for (const std::string& reason : advice.reasons) out << wrapped(reason);
    return out.str();
}

}  // namespace civitas::compare
