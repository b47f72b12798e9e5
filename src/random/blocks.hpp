#pragma once
/// Elements of a stream of which a block of Philox makes a few, computed for many blocks at once.
#include "words.hpp"

#include "civitas/random/stream.hpp"

#include <Random123/philox.h>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace civitas {

/// Blocks that are computed together.
constexpr std::size_t lanes = 16;

/// Word j of block l is words[j][l].
using WordsOfBlocks = std::array<std::array<std::uint32_t, lanes>, 4>;

/// The blocks from number i on of the stream that has these words.
CIVITAS_VECTOR_BODY WordsOfBlocks blocks_from(const Block& stream, std::uint64_t i) {
    WordsOfBlocks words;
    for (std::size_t l = 0; l < lanes; ++l) {
        const r123::Philox4x32::ctr_type counter{{low(i + l), high(i + l), stream[2], stream[3]}};
        const auto block = r123::Philox4x32{}(counter, {{stream[0], stream[1]}});
        for (std::size_t j = 0; j < words.size(); ++j) words[j][l] = block[j];
    }
    return words;
}

/// Elements first, first + 1, ...: element_at(i) is one of them, and of_blocks(i, to) writes those
/// of `lanes` blocks from block i on.
template <std::size_t elements_of_block, class T, class ElementAt, class OfBlocks>
void fill(std::uint64_t first, std::span<T> out, ElementAt element_at, OfBlocks of_blocks) {
    constexpr std::size_t together = elements_of_block * lanes;
    std::size_t k = 0;
    const auto up_to = [&](std::size_t end) {
        for (; k < end; ++k) out[k] = element_at(first + k);
    };
    const std::uint64_t begun = first % elements_of_block;
    up_to(std::min<std::size_t>(out.size(), begun == 0 ? 0 : elements_of_block - begun));
    for (; out.size() - k >= together; k += together)
        of_blocks((first + k) / elements_of_block, out.data() + k);
    up_to(out.size());
}

}  // namespace civitas
