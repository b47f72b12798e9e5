#pragma once
/// Lines of many points, as few as can be seen.
#include "civitas/report/lines.hpp"

#include <cstddef>
#include <vector>

namespace civitas::report {

/// Neighbours on a line.
struct Bin {
    double x = 0;  ///< of the last one
    double mean = 0, least = 0, most = 0;
};

/// Those of finite points, by number: at most `bins` of equally many, the last of fewer.
[[nodiscard]] std::vector<Bin> thinned(const std::vector<Point>& points, std::size_t bins);

}  // namespace civitas::report
