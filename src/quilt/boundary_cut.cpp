#include "boundary_cut.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>

namespace civitas::quilt {
namespace {

/// The cell of least value among `at` - 1, `at` and `at` + 1 of a row.
std::int64_t least_beside(const std::int64_t* row, std::int64_t width, std::int64_t at) {
    const std::int64_t* from = row + std::max<std::int64_t>(at - 1, 0);
    const std::int64_t* end = row + std::min(at + 2, width);
    return std::min_element(from, end) - row;
}

}  // namespace

std::vector<std::int64_t> boundary_cut(OverlapError error) {
    const std::int64_t length = error.length, width = error.width;
    ensure(length > 0 && width > 0 && std::ssize(error.cells) == length * width,
           "an overlap has cells");
    std::int64_t* sums = error.cells.data();
    for (std::int64_t y = 1; y < length; ++y)
        for (std::int64_t x = 0; x < width; ++x) {
            const std::int64_t* before = sums + (y - 1) * width;
            sums[y * width + x] += before[least_beside(before, width, x)];
        }
    std::vector<std::int64_t> cut(static_cast<std::size_t>(length));
    const std::int64_t* last = sums + (length - 1) * width;
    std::int64_t at = std::min_element(last, last + width) - last;
    for (std::int64_t y = length - 1;; --y) {
        cut[static_cast<std::size_t>(y)] = at;
        if (y == 0) return cut;
        at = least_beside(sums + (y - 1) * width, width, at);
    }
}

}  // namespace civitas::quilt
