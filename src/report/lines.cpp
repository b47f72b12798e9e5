#include "civitas/report/lines.hpp"

#include "thinned.hpp"

#include "civitas/report/frame.hpp"
#include "civitas/report/gantt.hpp"
#include "civitas/report/page.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iomanip>
#include <limits>
#include <sstream>

namespace civitas::report {
namespace {

constexpr std::size_t most_bins = 200;
constexpr double size = 1000;  // of the plot's own coordinates, each way

/// The ends of an axis.
struct Extent {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
    void reach(double value) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
    [[nodiscard]] double share(double value) const { return (value - low) / (high - low); }
};

/// An axis that nearly begins at 0 does.
std::vector<double> levels_of(Extent values) {
    if (values.low > 0 && values.low < values.high / 2) values.low = 0;
    return ticks(values.low, values.high, 5);
}

class Plot {
public:
    Plot(const LineChart& chart, std::vector<std::vector<Bin>> lines)
        : chart_(chart), lines_(std::move(lines)) {
        Extent values;
        for (const auto& line : lines_)
            for (const Bin& bin : line) {
                x_.reach(bin.x);
                values.reach(bin.least);
                values.reach(bin.most);
            }
        if (chart_.mark) values.reach(*chart_.mark);
        if (!(x_.high > x_.low)) x_ = {x_.low - 1, x_.high + 1};
        levels_ = levels_of(values);
        y_ = {levels_.front(), levels_.back()};
        out_ << std::fixed << std::setprecision(1);
    }

    std::string whole() {
        Axis below{chart_.x_name, {}}, left{chart_.y_name, {}};
        for (const double tick : inner_ticks())
            below.ticks.push_back({x_.share(tick), axis_text(tick)});
        for (const double tick : levels_) left.ticks.push_back({y_.share(tick), axis_text(tick)});
        picture();
        return legend() + framed(out_.str(), below, left);
    }

private:
    [[nodiscard]] std::string legend() const {
        if (lines_.size() < 2 && !chart_.mark) return "";
        std::ostringstream out;
        out << "<p class=\"legend\">";
        for (std::size_t i = 0; i < lines_.size(); ++i)
            out << "<span class=\"key\"><i class=\"k" << i << "\"></i>"
                << escaped(chart_.lines[i].name) << "</span>";
        if (chart_.mark)
            out << R"(<span class="key"><i class="range"></i>)" << escaped(chart_.mark_name)
                << "</span>";
        out << "</p>\n";
        return out.str();
    }

    void picture() {
        out_ << R"(<svg class="lines" viewBox="0 0 1000 1000" preserveAspectRatio="none" )"
             << "role=\"img\" aria-label=\"" << escaped(words()) << "\">";
        for (const double tick : levels_) level("grid", tick);
        for (const double tick : inner_ticks())
            out_ << "<line class=\"grid\" x1=\"" << x(tick) << "\" x2=\"" << x(tick)
                 << "\" y1=\"0\" y2=\"1000\"/>";
        for (std::size_t i = 0; i < lines_.size(); ++i) band(i);
        for (std::size_t i = 0; i < lines_.size(); ++i) mean(i);
        if (chart_.mark) level("level", *chart_.mark);
        out_ << "</svg>\n";
    }

    void level(const char* style, double value) {
        out_ << "<line class=\"" << style << "\" x1=\"0\" x2=\"1000\" y1=\"" << y(value)
             << "\" y2=\"" << y(value) << "\"/>";
    }

    void band(std::size_t i) {
        const auto& line = lines_[i];
        if (line.size() < 2) return;
        out_ << "<path class=\"band k" << i << "\" d=\"";
        for (std::size_t k = 0; k < line.size(); ++k)
            out_ << (k == 0 ? 'M' : 'L') << x(line[k].x) << ' ' << y(line[k].most);
        for (std::size_t k = line.size(); k-- > 0;)
            out_ << 'L' << x(line[k].x) << ' ' << y(line[k].least);
        out_ << "Z\"/>";
    }

    void mean(std::size_t i) {
        const auto& line = lines_[i];
        if (line.empty()) return;
        out_ << "<path class=\"mean l" << i << "\" d=\"";
        for (std::size_t k = 0; k < line.size(); ++k)
            out_ << (k == 0 ? 'M' : 'L') << x(line[k].x) << ' ' << y(line[k].mean);
        // A line of one point is a dot.
        if (line.size() == 1) out_ << "h0.1";
        out_ << "\"><title>" << escaped(chart_.lines[i].name) << "</title></path>";
    }

    /// Without those beyond the line's ends.
    [[nodiscard]] std::vector<double> inner_ticks() const {
        std::vector<double> inner = ticks(x_.low, x_.high, 6);
        std::erase_if(inner, [&](double tick) { return tick < x_.low || tick > x_.high; });
        return inner;
    }
    [[nodiscard]] std::string words() const {
        std::string words = chart_.y_name + " by " + chart_.x_name;
        for (std::size_t i = 0; i < lines_.size(); ++i)
            if (!lines_[i].empty())
                words += "; " + chart_.lines[i].name + " from " +
                         axis_text(lines_[i].front().mean) + " to " +
                         axis_text(lines_[i].back().mean);
        return words;
    }
    [[nodiscard]] double x(double value) const { return size * x_.share(value); }
    [[nodiscard]] double y(double value) const { return size * (1 - y_.share(value)); }

    const LineChart& chart_;
    std::vector<std::vector<Bin>> lines_;
    Extent x_ = {}, y_ = {};
    std::vector<double> levels_ = {};
    std::ostringstream out_;
};

}  // namespace

std::string axis_text(double value) {
    std::ostringstream out;
    const double length = std::abs(value);
    const bool thousands = length >= 10'000;
    out << std::setprecision(4) << (thousands ? value / 1000 : value) << (thousands ? " k" : "");
    return out.str();
}

std::vector<double> ticks(double low, double high, int count) {
    // Figures that differ by rounding alone are one.
    const double magnitude = std::max(std::abs(low), std::abs(high));
    const bool one = !(high - low > 1e-9 * magnitude);
    const double span = one ? std::max(magnitude, 1.0) : high - low;
    if (!std::isfinite(span) || span < 1e-300) return {std::min(low, -1.0), std::max(high, 1.0)};
    const double step = tick_step(span, count);
    const double begin = std::floor(low / step + 1e-9), end = std::ceil(high / step - 1e-9);
    const auto steps = static_cast<std::int64_t>(std::clamp(end - begin, 1.0, 50.0));
    std::vector<double> all;
    for (std::int64_t i = 0; i <= steps; ++i)
        all.push_back((begin + static_cast<double>(i)) * step);
    return all;
}

std::string to_html(const LineChart& chart) {
    std::vector<std::vector<Bin>> lines;
    bool any = false;
    for (const Line& line : chart.lines) {
        lines.push_back(thinned(line.points, most_bins));
        any = any || !lines.back().empty();
    }
    return any ? Plot(chart, std::move(lines)).whole() : "";
}

}  // namespace civitas::report
