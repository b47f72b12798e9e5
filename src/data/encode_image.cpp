#include "encode_image.hpp"

#include "turning.hpp"

namespace civitas::data {
namespace {

/// Sums of at most 8 x 8 bytes: exact.
using Sum = std::uint16_t;

/// Sums of one channel over the cells of an image.
std::vector<Sum> summed(const std::uint8_t* channel, Scaling scaling) {
    const auto factor = static_cast<std::size_t>(scaling.factor());
    const auto side = static_cast<std::size_t>(scaling.store_pixels);
    const auto n = static_cast<std::size_t>(scaling.net_pixels);
    std::vector<Sum> sums(n * n);
    for (std::size_t y = 0; y < side; ++y) {
        Sum* row = sums.data() + y / factor * n;
        for (std::size_t x = 0; x < n; ++x) {
            unsigned sum = row[x];
            for (std::size_t i = 0; i < factor; ++i, channel += image_channels) sum += *channel;
            row[x] = static_cast<Sum>(sum);
        }
    }
    return sums;
}

}  // namespace

void encode_image(std::span<const std::uint8_t> rgb, Scaling scaling, Symmetry symmetry,
                  float* image_CHW) {
    constexpr float white = 255;
    const std::int64_t n = scaling.net_pixels, factor = scaling.factor();
    const float share = 1.0F / static_cast<float>(factor * factor);  // a power of two
    for (std::size_t c = 0; c < image_channels; ++c) {
        const auto sums = turned(summed(rgb.data() + c, scaling), n, symmetry);
        for (const Sum sum : sums)
            *image_CHW++ = (static_cast<float>(sum) * share / white - image_mean.at(c)) /
                           image_deviation.at(c);
    }
}

}  // namespace civitas::data
