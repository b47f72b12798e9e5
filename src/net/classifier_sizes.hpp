#pragma once
/// What a named classifier is adapted to.
#include <cmath>
#include <cstdint>

namespace civitas::net {

struct ClassifierSizes {
    std::int64_t channels = 0;
    std::int64_t pixels = 0;
    std::int64_t classes = 0;
};

/// Standard deviation of the initial weights of a convolution behind which is a ReLU (He et al.,
/// arXiv 1502.01852, equation 14).
[[nodiscard]] inline double fan_out_deviation(std::int64_t out, std::int64_t kernel) {
    return std::sqrt(2 / static_cast<double>(out * kernel * kernel));
}

}  // namespace civitas::net
