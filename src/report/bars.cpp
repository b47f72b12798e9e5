#include "civitas/report/bars.hpp"

#include "civitas/report/page.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <numeric>
#include <sstream>

namespace civitas::report {
namespace {

double sum_of(const Bar& bar) { return std::accumulate(bar.parts.begin(), bar.parts.end(), 0.0); }

/// Places on the axis in per cent of it.
class Scale {
public:
    explicit Scale(double end) : end_(end) {}
    [[nodiscard]] double at(double value) const {
        const double share = value / end_;
        return std::isfinite(share) ? 100 * std::clamp(share, 0.0, 1.0) : 0;
    }

private:
    double end_;
};

class BarPicture {
public:
    BarPicture(const BarChart& chart, const Bar& bar, Scale axis)
        : chart_(chart), bar_(bar), axis_(axis) {
        out_ << std::fixed << std::setprecision(3);
    }

    [[nodiscard]] std::string whole() {
        out_ << R"(<svg class="bar" role="img" aria-label=")"
             << escaped(bar_.label + ": " + words()) << "\">";
        parts();
        if (bar_.range) range(axis_.at(bar_.range->first), axis_.at(bar_.range->second));
        if (bar_.mark)
            out_
                << "<rect class=\"mark\" x=\"" << axis_.at(*bar_.mark)
                << "%\" y=\"0\" width=\"3\" height=\"100%\" transform=\"translate(-1.5 0)\"><title>"
                << escaped(chart_.mark) << "</title></rect>";
        out_ << "</svg>";
        return out_.str();
    }

private:
    void parts() {
        double begin = 0;
        for (std::size_t kind = 0; kind < bar_.parts.size(); ++kind) {
            const double from = axis_.at(begin);
            const double to = axis_.at(begin += bar_.parts[kind]);
            if (!(to > from)) continue;
            out_ << "<rect class=\"part k" << kind << "\" x=\"" << from << "%\" y=\"15%\" width=\""
                 << to - from << "%\" height=\"70%\"><title>" << escaped(chart_.kinds.at(kind))
                 << "</title></rect>";
        }
    }
    void range(double from, double to) {
        out_ << R"(<line class="range" x1=")" << from << R"(%" x2=")" << to
             << R"(%" y1="50%" y2="50%"><title>)" << escaped(chart_.range) << "</title></line>";
        for (const double end : {from, to})
            out_ << R"(<line class="range" x1=")" << end << R"(%" x2=")" << end
                 << R"(%" y1="30%" y2="70%"/>)";
    }
    [[nodiscard]] std::string words() const {
        std::ostringstream words;
        words << bar_.value;
        if (chart_.kinds.size() > 1)
            for (std::size_t kind = 0; kind < bar_.parts.size(); ++kind)
                words << "; " << chart_.kinds.at(kind) << ' ' << std::setprecision(3)
                      << bar_.parts[kind];
        return words.str();
    }

    const BarChart& chart_;
    const Bar& bar_;
    Scale axis_;
    std::ostringstream out_;
};

std::string legend_of(const BarChart& chart) {
    std::ostringstream out;
    const auto entry = [&](const std::string& swatch, const std::string& words) {
        out << "<span class=\"key\"><i class=\"" << swatch << "\"></i>" << escaped(words)
            << "</span>";
    };
    if (chart.kinds.size() > 1)
        for (std::size_t kind = 0; kind < chart.kinds.size(); ++kind)
            entry("k" + std::to_string(kind), chart.kinds[kind]);
    if (!chart.range.empty()) entry("range", chart.range);
    if (!chart.mark.empty()) entry("mark", chart.mark);
    return out.tellp() > 0 ? "<p class=\"legend\">" + out.str() + "</p>\n" : "";
}

}  // namespace

double BarChart::end() const {
    double end = 0;
    const auto reach = [&](double value) {
        if (std::isfinite(value)) end = std::max(end, value);
    };
    for (const Bar& bar : bars) {
        reach(sum_of(bar));
        if (bar.range) reach(bar.range->second);
        if (bar.mark) reach(*bar.mark);
    }
    return end;
}

std::string to_html(const BarChart& chart) {
    const Scale axis(chart.end());
    std::ostringstream out;
    out << legend_of(chart) << "<div class=\"bars\">\n";
    for (const Bar& bar : chart.bars)
        out << "<div class=\"row" << (bar.stands_out ? " best" : "") << "\"><span class=\"label\">"
            << escaped(bar.label) << "</span>" << BarPicture(chart, bar, axis).whole()
            << "<span class=\"value\">" << escaped(bar.value) << "</span></div>\n";
    out << "</div>\n";
    return out.str();
}

}  // namespace civitas::report
