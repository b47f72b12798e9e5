#include "civitas/base/symmetry.hpp"

namespace civitas {

std::int64_t cell_at(std::int64_t y, std::int64_t x, std::int64_t n, Symmetry symmetry) {
    const auto bits = static_cast<unsigned>(symmetry);
    for (unsigned turn = 0; turn < bits >> 1U; ++turn) {
        const std::int64_t old_x = x;
        x = n - 1 - y;
        y = old_x;
    }
    return y * n + ((bits & 1U) != 0 ? n - 1 - x : x);
}

}  // namespace civitas
