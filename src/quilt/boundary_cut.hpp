#pragma once
/// Where an overlap is cut.
#include <cstdint>
#include <vector>

namespace civitas::quilt {

/// What a cut through each cell of an overlap costs, row by row from one end of it to the other.
struct OverlapError {
    std::int64_t length = 0;
    std::int64_t width = 0;
    std::vector<std::int64_t> cells;  ///< length x width
};

/// The minimum error boundary cut of Efros and Freeman (section 2.1), by dynamic programming: a
/// cell of each row, neighbours at most one cell apart, of the least sum; of equal ones the
/// leftmost at the far end. Precondition: there are cells.
[[nodiscard]] std::vector<std::int64_t> boundary_cut(OverlapError error);

}  // namespace civitas::quilt
