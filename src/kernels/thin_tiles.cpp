#include "thin_tiles.hpp"

#include "thin_rows.hpp"

#include <algorithm>

namespace civitas::kernels::thin {
namespace {

constexpr std::int64_t side = 4;         // of a kernel
constexpr std::int64_t of_cache = 1024;  // words of both factors that fit the second cache

std::size_t size(std::int64_t count) { return static_cast<std::size_t>(count); }

/// Words from channel to channel: an odd number of vectors, whose multiples do not share few lines
/// of a cache.
std::int64_t apart(std::int64_t words) { return words | lanes; }

}  // namespace

template <class T>
TiledGradient<T>::TiledGradient(ImageRows<const T> small, ImageRows<const T> big)
    : small_(small),
      big_(big),
      row_words_(divide_up(small.width, numbers_per_word<T>)),
      rows_(std::clamp<std::int64_t>(of_cache / row_words_, 1, small.height)),
      words_(round_up(rows_ * row_words_, lanes)),
      zeros_(size(small.channels)),
      pixels_(size(round_up(small.channels, lanes) * apart(words_))),
      patches_(size(panels * words_ * panel)),
      sums_(size(panels * small.channels * panel)) {}

template <class T>
void TiledGradient<T>::compute(std::int64_t image, std::int64_t begin, std::int64_t end,
                               float* gradient) {
    for (std::int64_t y = begin; y < end; y += rows_) {
        const Rows rows{image, y, std::min(rows_, end - y)};
        const std::int64_t words = round_up(rows.count * row_words_, lanes);
        pack_patches_of(rows);
        pack_small(rows, words);
        for (std::int64_t p = 0; p < panels; ++p)
            multiply<T>(small_.channels, {pixels_.data(), apart(words_), 1},
                        patches_.data() + p * words_ * panel, words,
                        sums_.data() + p * small_.channels * panel,
                        y == begin ? Sum::begins : Sum::goes_on);
    }
    const ProductLayout<T> layout{small_.channels, big_.channels};
    for (std::int64_t c = 0; c < small_.channels; ++c)
        for (std::int64_t ky = 0; ky < side; ++ky, gradient += side * big_.channels)
            std::copy_n(sums_.data() + layout.begin(ky) + c * layout.apart(), side * big_.channels,
                        gradient);
}

template <class T>
void TiledGradient<T>::pack_patches_of(const Rows& rows) {
    for (std::int64_t ky = 0; ky < side; ++ky) {
        Word* to = patches_.data() + ky / 2 * words_ * panel + ky % 2 * lanes;
        for (std::int64_t r = 0; r < rows.count; ++r, to += row_words_ * panel)
            pack_patches<T>(
                {big_.row(rows.image, 2 * (rows.begin + r) - 1 + ky), big_.width, big_.channels},
                to, panel);
    }
}

template <class T>
const T* TiledGradient<T>::pixel(const Rows& rows, std::int64_t word, std::int64_t number) const {
    const std::int64_t row = word / row_words_;
    const std::int64_t x = word % row_words_ * numbers_per_word<T> + number;
    if (row >= rows.count || x >= small_.width) return zeros_.data();
    return small_.row(rows.image, rows.begin + row) + x * small_.channels;
}

template <class T>
void TiledGradient<T>::pack_small(const Rows& rows, std::int64_t words) {
    for (std::int64_t word = 0; word < words; word += lanes) {
        const T* pixels[lanes][numbers_per_word<T>];
        for (std::int64_t i = 0; i < lanes; ++i)
            for (std::int64_t j = 0; j < numbers_per_word<T>; ++j)
                pixels[i][j] = pixel(rows, word + i, j);
        pack_column<T>(pixels, 0, small_.channels, pixels_.data() + word, apart(words_));
    }
}

template class TiledGradient<float>;
template class TiledGradient<c10::BFloat16>;

}  // namespace civitas::kernels::thin
