#pragma once
/// Bars beside each other, for pages.
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace civitas::report {

struct Bar {
    std::string label;
    std::vector<double> parts;  ///< one after the other, one of each kind; none below 0
    std::string value;          ///< in words, behind the bar
    std::optional<std::pair<double, double>> range = {};  ///< from the least measured to the most
    std::optional<double> mark = {};                      ///< to compare with
    bool stands_out = false;
};

/// Bars on a common axis that begins at 0.
struct BarChart {
    std::vector<std::string> kinds;  ///< what the parts are, at most six; a legend where several
    std::vector<Bar> bars;
    std::string range = {};  ///< what ranges are, for the legend; empty: there are none
    std::string mark = {};   ///< what marks are, likewise

    /// Where the axis ends: at the largest bar, range or mark.
    [[nodiscard]] double end() const;
};

/// Each bar as an SVG picture as wide as the page leaves it, with its label and value as text. A
/// value that is not finite, or an axis without length, draws nothing.
[[nodiscard]] std::string to_html(const BarChart& chart);

}  // namespace civitas::report
