#include "blocks.hpp"
#include "elementary.hpp"

#include <cmath>

namespace civitas {
namespace {

/// The two normals of a block, by Box and Muller (Annals of Mathematical Statistics 29, 1958).
CIVITAS_VECTOR_BODY CosineAndSine normals_of(const Block& words) {
    const double radius = std::sqrt(-2 * logarithm(open_unit(words[0], words[1])));
    const auto [cosine, sine] = cosine_and_sine(open_unit(words[2], words[3]));
    return {radius * cosine, radius * sine};
}

CIVITAS_VECTORISED void normals_of_blocks(const Block& stream, std::uint64_t i, double* to) {
    const WordsOfBlocks words = blocks_from(stream, i);
    std::array<double, lanes> first, second;
    for (std::size_t l = 0; l < lanes; ++l) {
        const auto [x, y] = normals_of({words[0][l], words[1][l], words[2][l], words[3][l]});
        first[l] = x;
        second[l] = y;
    }
    for (std::size_t l = 0; l < lanes; ++l) {
        to[2 * l] = first[l];
        to[2 * l + 1] = second[l];
    }
}

}  // namespace

void RandomStream::normals(std::uint64_t first, std::span<double> out) const noexcept {
    fill<2>(
        first, out,
        [&](std::uint64_t i) {
            const auto [x, y] = normals_of(block(i / 2));
            return i % 2 == 0 ? x : y;
        },
        [&](std::uint64_t i, double* to) { normals_of_blocks(words(), i, to); });
}

}  // namespace civitas
