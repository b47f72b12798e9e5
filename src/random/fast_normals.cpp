#include "blocks.hpp"

#include <cmath>

namespace civitas {
namespace {

/// The sum of the four bytes of a word, moved to a mean of 0 and scaled.
CIVITAS_VECTOR_BODY float sum_of_bytes(std::uint32_t w, float scale) {
    constexpr float mean = 4 * 127.5F;
    const std::uint32_t sum = (w & 255) + ((w >> 8) & 255) + ((w >> 16) & 255) + (w >> 24);
    return (static_cast<float>(static_cast<int>(sum)) - mean) * scale;
}

CIVITAS_VECTORISED void sums_of_blocks(const Block& stream, std::uint64_t i, float scale,
                                       float* to) {
    const WordsOfBlocks words = blocks_from(stream, i);
    for (std::size_t l = 0; l < lanes; ++l)
        for (std::size_t j = 0; j < words.size(); ++j)
            to[words.size() * l + j] = sum_of_bytes(words[j][l], scale);
}

}  // namespace

void RandomStream::fast_normals(std::uint64_t first, std::span<float> out) const noexcept {
    const float scale = 1.0F / std::sqrt(4.0F * (256.0F * 256.0F - 1.0F) / 12.0F);
    fill<4>(
        first, out, [&](std::uint64_t i) { return sum_of_bytes(block(i / 4)[i % 4], scale); },
        [&](std::uint64_t i, float* to) { sums_of_blocks(words(), i, scale, to); });
}

}  // namespace civitas
