#pragma once
/// The passes of convolution.hpp over plain memory, for T in {float, BFloat16}.
#include "simd.hpp"
#include "winograd_patch.hpp"

#include <ATen/core/Tensor.h>

namespace civitas::strided {

/// A channels-last tensor of T.
template <class T>
Image<const T> image_of(const at::Tensor& t) {
    return {t.const_data_ptr<T>(), t.size(0), t.size(2), t.size(3), t.size(1)};
}

/// Channels of images and weights.
struct Channels {
    std::int64_t small, big;
};

/// Words of a row that has so many channels, filled up to whole vectors.
template <class T>
constexpr std::int64_t row_words(std::int64_t channels) {
    return divide_up(channels, lanes * numbers_per_word<T>) * lanes;
}

enum class Direction { down, up };

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

/// A part of a factor: some words, a multiple of `lanes`, of some panels.
struct Piece {
    std::int64_t panel, panels;
    std::int64_t word, words;
};

/// Writes (m+1) (m+1) matrices of words x panel for each panel, one matrix every `point_size`
/// words.
template <class T, int m>
void pack(const Factor<T>& factor, const Piece& piece, Word* to, std::int64_t point_size);

template <class T>
void run_down(Image<const T> big, const T* weight, Image<T> small);
template <class T>
void run_up(Image<const T> small, const T* weight, Image<T> big);
/// The same without Winograd's transforms, by tiles.
void run_direct_down(Image<const c10::BFloat16> big, const c10::BFloat16* weight,
                     Image<c10::BFloat16> small);
void run_direct_up(Image<const c10::BFloat16> small, const c10::BFloat16* weight,
                   Image<c10::BFloat16> big);
/// leaf: as a weight.
template <class T>
void run_gradient(Image<const T> big, Image<const T> small, float* leaf);
/// The same without Winograd's transforms.
template <class T>
void run_direct_gradient(Image<const T> big, Image<const T> small, float* leaf);

}  // namespace civitas::strided
