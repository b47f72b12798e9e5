#include "direct_strip.hpp"

#include "passes.hpp"

#include <algorithm>

namespace civitas::strided {
namespace {

using c10::BFloat16;

[[CIVITAS_AVX512]] void copy_pixel(const BFloat16* from, std::int64_t channels, Word* to) {
    constexpr std::int64_t step = lanes * numbers_per_word<BFloat16>;
    for (std::int64_t c = 0; c < channels; c += step, to += lanes)
        _mm512_storeu_si512(to, load_words(from + c, channels - c));
}

}  // namespace

StripLayout::StripLayout(Window window, Extent results, std::int64_t channels)
    : window_(window),
      results_(results),
      reach_((window.span - 1) / window.step),
      images_(images_for(results.width)),
      words_(row_words<BFloat16>(channels)),
      pixel_(row_stride(words_)),
      row_((results.width + reach_) * images_ * pixel_),
      plane_((results.height + reach_) * row_) {}

std::int64_t StripLayout::tap(std::int64_t dy, std::int64_t dx) const {
    const std::int64_t plane = dy % window_.step * window_.step + dx % window_.step;
    return plane * plane_ + dy / window_.step * row_ + dx / window_.step * images_ * pixel_;
}

std::vector<Result> StripLayout::results() const {
    std::vector<Result> all;
    const std::int64_t of_row = tiles_of_row() * rows_of_tile;
    for (std::int64_t row = 0; row < results_.height; ++row)
        for (std::int64_t i = 0; i < of_row; ++i) {
            const bool there = i < images_ * results_.width;
            all.push_back({there ? i % images_ : -1, row, i / images_});
        }
    return all;
}

void StripLayout::copy(const Image<const BFloat16>& image, Strip strip, Word* to) const {
    const std::int64_t rows = window_.step * (results_.height + reach_);
    for (std::int64_t i = 0; i < images_; ++i)
        for (std::int64_t row = 0; row < rows; ++row) {
            Word* const first = to + tap(row % window_.step, 0) + row / window_.step * row_;
            copy_row(image, strip.image + i, window_.step * strip.row + row - 1,
                     first + i * pixel_);
        }
}

void StripLayout::copy_row(const Image<const BFloat16>& image, std::int64_t number, std::int64_t y,
                           Word* to) const {
    const bool row_there = number < image.batch && y >= 0 && y < image.height;
    std::int64_t x = -1;
    for (std::int64_t i = 0; i < results_.width + reach_; ++i)
        for (std::int64_t parity = 0; parity < window_.step; ++parity, ++x) {
            Word* const pixel = to + parity * plane_ + i * images_ * pixel_;
            if (row_there && x >= 0 && x < image.width)
                copy_pixel(image.pixel(number, y, x), image.channels, pixel);
            else
                std::fill_n(pixel, words_, Word{0});
        }
}

}  // namespace civitas::strided
