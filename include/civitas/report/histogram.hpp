#pragma once
/// How often values occur, for pages.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace civitas::report {

/// Counts in bins of equal width from `low` to `high`, which is above it.
struct Histogram {
    std::string x_name;
    std::string y_name;
    double low = 0;
    double high = 1;
    std::vector<std::string> kinds;               ///< of what is counted, at most six
    std::vector<std::vector<std::int64_t>> bins;  ///< for each bin a count of each kind
    std::optional<double> mark = {};              ///< a value to compare with
    std::string mark_name = {};
};

/// The histogram as wide as the page leaves it, kinds one above the other, with a legend that
/// counts them. Nothing where nothing is counted.
[[nodiscard]] std::string to_html(const Histogram& histogram);

}  // namespace civitas::report
