#include "thin_gradient.hpp"

#include "thin_rows.hpp"

#include <algorithm>

namespace civitas::kernels::thin {
inline namespace CIVITAS_SET {
namespace {

constexpr std::int64_t most_words = 1024;  // of a sum: of 64 channels both factors fit a cache

std::size_t size(std::int64_t count) { return static_cast<std::size_t>(count); }

}  // namespace

template <class T>
StripGradient<T>::StripGradient(ImageRows<const T> small, ImageRows<const T> big)
    : small_(small),
      big_(big),
      row_words_(divide_up(small.width, numbers_per_word<T>)),
      rows_(std::clamp<std::int64_t>(most_words / row_words_, 1,
                                     std::min(Strips::rows, small.height))),
      words_(round_up(rows_ * row_words_, lanes)),
      zeros_(size(small.channels)),
      pixels_(size(round_up(small.channels, lanes) * row_stride(words_))),
      patches_(size(panels * words_ * panel)),
      sums_(size(panels * small.channels * panel)) {}

template <class T>
void StripGradient<T>::compute(std::int64_t image, std::int64_t begin, std::int64_t end,
                               float* gradient) {
    for (std::int64_t y = begin; y < end; y += rows_) {
        const std::int64_t count = std::min(rows_, end - y);
        const Chunk chunk{image, y, count, round_up(count * row_words_, lanes)};
        pack_patches_of(chunk);
        pack_small(chunk);
        for (std::int64_t p = 0; p < panels; ++p)
            multiply<T>(small_.channels, {pixels_.data(), row_stride(words_), 1},
                        patches_.data() + p * words_ * panel, chunk.words,
                        sums_.data() + p * small_.channels * panel,
                        y == begin ? Sum::begins : Sum::goes_on);
    }
    for (std::int64_t c = 0; c < small_.channels; ++c)
        for (std::int64_t ky = 0; ky < side; ++ky, gradient += side * big_.channels)
            std::copy_n(sums_.data() + taps_begin(ky, small_.channels) + c * panel,
                        side * big_.channels, gradient);
}

template <class T>
void StripGradient<T>::pack_patches_of(const Chunk& chunk) {
    for (std::int64_t ky = 0; ky < side; ++ky) {
        Word* to = patches_.data() + taps_begin(ky, words_);
        for (std::int64_t r = 0; r < chunk.count; ++r, to += row_words_ * panel)
            pack_patches<T>(
                {big_.row(chunk.image, 2 * (chunk.begin + r) - 1 + ky), big_.width, big_.channels},
                to);
    }
    // Behind the rows there may be infinite numbers of other ones, of which zeros make no zeros.
    const std::int64_t filled = chunk.count * row_words_;
    for (std::int64_t p = 0; p < panels; ++p)
        std::fill_n(patches_.data() + (p * words_ + filled) * panel, (chunk.words - filled) * panel,
                    Word{0});
}

template <class T>
const T* StripGradient<T>::pixel(const Chunk& chunk, std::int64_t word, std::int64_t number) const {
    const std::int64_t row = word / row_words_;
    const std::int64_t x = word % row_words_ * numbers_per_word<T> + number;
    if (row >= chunk.count || x >= small_.width) return zeros_.data();
    return small_.row(chunk.image, chunk.begin + row) + x * small_.channels;
}

template <class T>
void StripGradient<T>::pack_small(const Chunk& chunk) {
    for (std::int64_t word = 0; word < chunk.words; word += lanes) {
        const T* pixels[lanes][numbers_per_word<T>];
        for (std::int64_t i = 0; i < lanes; ++i)
            for (std::int64_t j = 0; j < numbers_per_word<T>; ++j)
                pixels[i][j] = pixel(chunk, word + i, j);
        pack_column<T>(pixels, 0, small_.channels, pixels_.data() + word, row_stride(words_));
    }
}

template class StripGradient<float>;
template class StripGradient<c10::BFloat16>;

}  // namespace CIVITAS_SET
}  // namespace civitas::kernels::thin
