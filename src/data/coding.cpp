#include "civitas/data/coding.hpp"

#include "turning.hpp"

#include "civitas/base/error.hpp"

namespace civitas::data {

std::int64_t Scaling::factor() const {
    for (const std::int64_t f : {1, 2, 4, 8})
        if (net_pixels > 0 && store_pixels == net_pixels * f) return f;
    throw UsageError(
        text("tiles of ", store_pixels, " pixels cannot be averaged to the net's ", net_pixels),
        Hint{text("civitas-preprocess --pixels ", net_pixels,
                  ", or 2, 4 or 8 times "
                  "that; or another --net")});
}

std::int64_t cell_at(std::int64_t y, std::int64_t x, std::int64_t n, Symmetry symmetry) {
    const auto bits = static_cast<unsigned>(symmetry);
    for (unsigned turn = 0; turn < bits >> 1U; ++turn) {
        const std::int64_t old_x = x;
        x = n - 1 - y;
        y = old_x;
    }
    return y * n + ((bits & 1U) != 0 ? n - 1 - x : x);
}

float variance_of(const std::array<std::int64_t, 3>& counts) {
    const auto other = static_cast<double>(counts[0]);
    const auto road = static_cast<double>(counts[1]);
    const auto building = static_cast<double>(counts[2]);
    const double total = other + road + building;
    const double mean = (0.5 * road + building) / total;
    return static_cast<float>((0.25 * road + building) / total - mean * mean);
}

}  // namespace civitas::data
