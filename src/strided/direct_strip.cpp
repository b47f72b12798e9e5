#include "direct_strip.hpp"
#include "simd_tiles.hpp"

#include "passes.hpp"

#include <algorithm>

namespace civitas::strided {
namespace {

template <class T>
[[CIVITAS_VECTORS]] void copy_pixel(const T* from, std::int64_t channels, PixelWords size,
                                    Word* to) {
    for (std::int64_t word = 0; word < size.of_part; word += lanes) {
        PairWords<T> words;
        load_row(from + 2 * word, channels - 2 * word, words);
        store_parts(words, to + word, size.of_part);
    }
}

}  // namespace

StripLayout::StripLayout(Window window, Extent results, PixelWords pixel)
    : window_(window),
      results_(results),
      reach_((window.span - 1) / window.step),
      images_(images_for(results.width)),
      words_(pixel),
      pixel_(row_stride(pixel.all())),
      row_((results.width + reach_) * images_ * pixel_),
      plane_((results.height + reach_) * row_) {}

std::int64_t StripLayout::tap(std::int64_t dy, std::int64_t dx) const {
    const std::int64_t plane = dy % window_.step * window_.step + dx % window_.step;
    return plane * plane_ + dy / window_.step * row_ + dx / window_.step * images_ * pixel_;
}

template <class T>
void StripLayout::copy(const Image<const T>& image, Strip strip, Word* to) const {
    const std::int64_t rows = window_.step * (results_.height + reach_);
    for (std::int64_t i = 0; i < images_; ++i)
        for (std::int64_t row = 0; row < rows; ++row) {
            Word* const first = to + tap(row % window_.step, 0) + row / window_.step * row_;
            copy_row(image, strip.image + i, window_.step * strip.row + row - 1,
                     first + i * pixel_);
        }
}

template <class T>
void StripLayout::copy_row(const Image<const T>& image, std::int64_t number, std::int64_t y,
                           Word* to) const {
    const bool row_there = number < image.batch && y >= 0 && y < image.height;
    std::int64_t x = -1;
    for (std::int64_t i = 0; i < results_.width + reach_; ++i)
        for (std::int64_t parity = 0; parity < window_.step; ++parity, ++x) {
            Word* const pixel = to + parity * plane_ + i * images_ * pixel_;
            if (row_there && x >= 0 && x < image.width)
                copy_pixel(image.pixel(number, y, x), image.channels, words_, pixel);
            else
                std::fill_n(pixel, words_.all(), Word{0});
        }
}

template void StripLayout::copy(const Image<const float>&, Strip, Word*) const;
template void StripLayout::copy(const Image<const c10::BFloat16>&, Strip, Word*) const;

}  // namespace civitas::strided
