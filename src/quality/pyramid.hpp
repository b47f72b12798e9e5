#pragma once
/// Laplacian pyramids with the 5-tap binomial filter (1 4 6 4 1)/16 per direction and reflected
/// borders (Burt and Adelson, as used by Karras et al.).
#include <cstdint>
#include <vector>

namespace civitas::quality {

/// One channel, pixels x pixels, row by row.
struct Channel {
    std::int64_t pixels = 0;
    std::vector<float> values;
};

/// Filtered, every other pixel kept. Precondition: an even size of at least 4.
[[nodiscard]] Channel shrunk(const Channel& image);
/// Twice the size: zeros between the pixels, filtered with four times the weight.
[[nodiscard]] Channel enlarged(const Channel& image);

/// The sizes from `pixels` down by halves, while even and at least 16.
[[nodiscard]] std::vector<std::int64_t> pyramid_sizes(std::int64_t pixels);

}  // namespace civitas::quality
