#pragma once
/// Weights as the right factor of products of patches.
#include "passes.hpp"

namespace civitas::strided {
inline namespace CIVITAS_SET {

/// What a product multiplies patches by: weights of `down`, whose rows have all phases, or those of
/// a phase of `up`.
template <class T>
struct Factor {
    const T* weight;  ///< [small][row][column][big], the memory of a channels-last tensor
    Channels channels;
    Direction direction;
    int phase;  ///< of `up`

    /// Along which products are summed.
    [[nodiscard]] std::int64_t words() const {
        return direction == Direction::down ? phases * row_words<T>(channels.big)
                                            : row_words<T>(channels.small);
    }
    /// Of columns.
    [[nodiscard]] std::int64_t panels() const {
        return divide_up(direction == Direction::down ? channels.small : channels.big, panel);
    }
};

/// A part of a factor: some words of a panel, from a multiple of `lanes` to another.
struct Piece {
    std::int64_t panel;
    Range words;
};

/// Writes (m+1) (m+1) matrices of words x panel, one every `point_size` words.
template <class T, int m>
void pack(const Factor<T>& factor, const Piece& piece, Word* to, std::int64_t point_size);

}  // namespace CIVITAS_SET
}  // namespace civitas::strided
