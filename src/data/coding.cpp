#include "civitas/data/coding.hpp"

#include "civitas/base/error.hpp"

namespace civitas::data {

std::int64_t Scaling::factor() const {
    for (const std::int64_t f : {1, 2, 4, 8})
        if (net_pixels > 0 && store_pixels == net_pixels * f) return f;
    throw UsageError(
        text("tiles of ", store_pixels, " pixels cannot be averaged to the net's ", net_pixels),
        Hint{text("civitas-preprocess --pixels ", net_pixels,
                  ", or 2, 4 or 8 times that; or another --net, for a classifier --pixels ",
                  store_pixels, " or a half, a fourth or an eighth of it")});
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
