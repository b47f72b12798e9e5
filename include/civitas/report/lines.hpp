#pragma once
/// Lines over a common axis, for pages.
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace civitas::report {

struct Point {
    double x = 0;
    double y = 0;
};

struct Line {
    std::string name;
    std::vector<Point> points;  ///< ascending in x
};

/// At most six lines. Where one has more points than a screen has room for, the mean of neighbours
/// is drawn, within the band from their least to their most.
struct LineChart {
    std::string x_name;
    std::string y_name;
    std::vector<Line> lines;
    std::optional<double> mark = {};  ///< a level to compare with
    std::string mark_name = {};
};

/// A value on an axis: about four digits, `1.5 k` where that is shorter.
[[nodiscard]] std::string axis_text(double value);

/// Round values from `low` to `high`, about `count`; at least two. Precondition: finite.
[[nodiscard]] std::vector<double> ticks(double low, double high, int count);

/// The chart as wide as the page leaves it; points that are not finite are left out. Nothing where
/// no line has a point.
[[nodiscard]] std::string to_html(const LineChart& chart);

}  // namespace civitas::report
