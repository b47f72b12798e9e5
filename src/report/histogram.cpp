#include "civitas/report/histogram.hpp"

#include "civitas/report/frame.hpp"
#include "civitas/report/lines.hpp"
#include "civitas/report/page.hpp"

#include <algorithm>
#include <iomanip>
#include <numeric>
#include <sstream>

namespace civitas::report {
namespace {

constexpr double side = 1000;  // of the plot's own coordinates, each way

class HistogramPlot {
public:
    HistogramPlot(const Histogram& of, std::vector<std::int64_t> totals, std::int64_t most)
        : of_(of), totals_(std::move(totals)), levels_(ticks(0, static_cast<double>(most), 5)) {
        out_ << std::fixed << std::setprecision(1);
    }

    std::string whole() {
        legend();
        out_ << framed(picture(), {of_.x_name, steps()}, {of_.y_name, levels()});
        return out_.str();
    }

private:
    void legend() {
        out_ << "<p class=\"legend\">";
        for (std::size_t kind = 0; kind < of_.kinds.size(); ++kind)
            out_ << "<span class=\"key\"><i class=\"k" << kind << "\"></i>" << escaped(words(kind))
                 << "</span>";
        if (of_.mark)
            out_ << R"(<span class="key"><i class="mark"></i>)" << escaped(of_.mark_name)
                 << "</span>";
        out_ << "</p>\n";
    }

    std::string picture() {
        std::ostringstream out;
        out << std::fixed << std::setprecision(1)
            << R"(<svg class="lines" viewBox="0 0 1000 1000" preserveAspectRatio="none" )"
            << "role=\"img\" aria-label=\"" << escaped(words()) << "\">";
        for (const double level : levels_)
            out << R"(<line class="grid" x1="0" x2="1000" y1=")" << y(level) << "\" y2=\""
                << y(level) << "\"/>";
        const double step = side / static_cast<double>(of_.bins.size());
        for (std::size_t bin = 0; bin < of_.bins.size(); ++bin) {
            double below = 0;
            for (std::size_t kind = 0; kind < of_.bins[bin].size(); ++kind) {
                const double above = below + static_cast<double>(of_.bins[bin][kind]);
                if (above > below)
                    out << "<rect class=\"part k" << kind << "\" x=\""
                        << step * static_cast<double>(bin) << "\" width=\"" << step << "\" y=\""
                        << y(above) << "\" height=\"" << y(below) - y(above) << "\"/>";
                below = above;
            }
        }
        if (of_.mark)
            out << "<line class=\"mark\" x1=\"" << x(*of_.mark) << "\" x2=\"" << x(*of_.mark)
                << "\" y1=\"0\" y2=\"1000\"/>";
        out << "</svg>\n";
        return out.str();
    }

    [[nodiscard]] std::vector<Tick> levels() const {
        std::vector<Tick> all;
        for (const double level : levels_)
            all.push_back({level / levels_.back(), axis_text(level)});
        return all;
    }
    [[nodiscard]] std::vector<Tick> steps() const {
        std::vector<Tick> inner;
        for (const double tick : ticks(of_.low, of_.high, 6))
            if (tick >= of_.low && tick <= of_.high)
                inner.push_back({x(tick) / side, axis_text(tick)});
        return inner;
    }
    [[nodiscard]] std::string words(std::size_t kind) const {
        return of_.kinds[kind] + ": " + std::to_string(totals_[kind]);
    }
    [[nodiscard]] std::string words() const {
        std::string all = of_.y_name + " by " + of_.x_name;
        for (std::size_t kind = 0; kind < of_.kinds.size(); ++kind) all += "; " + words(kind);
        if (of_.mark) all += "; " + of_.mark_name + ": " + axis_text(*of_.mark);
        return all;
    }
    [[nodiscard]] double x(double value) const {
        return side * std::clamp((value - of_.low) / (of_.high - of_.low), 0.0, 1.0);
    }
    [[nodiscard]] double y(double count) const { return side * (1 - count / levels_.back()); }

    const Histogram& of_;
    std::vector<std::int64_t> totals_;  ///< of each kind
    std::vector<double> levels_;
    std::ostringstream out_;
};

}  // namespace

std::string to_html(const Histogram& histogram) {
    std::vector<std::int64_t> totals(histogram.kinds.size());
    std::int64_t most = 0;
    for (const auto& bin : histogram.bins) {
        most = std::max(most, std::accumulate(bin.begin(), bin.end(), std::int64_t{0}));
        for (std::size_t kind = 0; kind < totals.size(); ++kind) totals[kind] += bin.at(kind);
    }
    return most == 0 ? "" : HistogramPlot(histogram, std::move(totals), most).whole();
}

}  // namespace civitas::report
