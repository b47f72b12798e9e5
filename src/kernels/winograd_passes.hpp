#pragma once
/// The passes of winograd.hpp over plain memory, for T in {float, BFloat16}.
#include "product.hpp"
#include "winograd_patch.hpp"

namespace civitas::kernels::winograd {

/// Channels of images and weights.
struct Channels {
    std::int64_t small, big;
};

/// Packed weights: for each product and each panel of its columns, nine matrices of words x panel.
struct Packing {
    std::int64_t words;     ///< along which products are summed
    std::int64_t panels;    ///< of columns
    std::int64_t products;  ///< one whose rows have all phases, or one for each phase
    [[nodiscard]] std::int64_t panel_size() const { return points * words * panel; }
    [[nodiscard]] std::int64_t size() const { return products * panels * panel_size(); }
};

/// Words of a row that has so many channels, filled up to whole vectors.
template <class T>
constexpr std::int64_t row_words(std::int64_t channels) {
    return divide_up(channels, lanes * numbers_per_word<T>) * lanes;
}
template <class T>
constexpr Packing packing_for_down(Channels channels) {
    return {phases * row_words<T>(channels.big), divide_up(channels.small, panel), 1};
}
template <class T>
constexpr Packing packing_for_up(Channels channels) {
    return {row_words<T>(channels.small), divide_up(channels.big, panel), phases};
}

/// weight: [small][row][column][big], the memory of a channels-last tensor.
template <class T>
void pack_down(const T* weight, Channels channels, Word* packed);
template <class T>
void pack_up(const T* weight, Channels channels, Word* packed);

template <class T>
void run_down(Image<const T> big, const Word* packed, Image<T> small);
template <class T>
void run_up(Image<const T> small, const Word* packed, Image<T> big);
/// leaf: as a weight.
template <class T>
void run_gradient(Image<const T> big, Image<const T> small, float* leaf);

}  // namespace civitas::kernels::winograd
