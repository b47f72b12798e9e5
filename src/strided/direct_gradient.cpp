// The gradient of weights as products of pixels themselves. Tiles multiply so fast that transforms
// would take longer than what they save, and nothing is rounded.
//
// With y and x of the small image, the gradient at a tap (ky, kx) is the product of all small
// pixels and of the big pixels (2y+ky-1, 2x+kx-1), summed over both and the batch. Rows r of the
// big image that are 2r+f-1, f in {0, 1}, serve two taps: ky = f with y = r, and ky = f+2 with y =
// r-1. A row of zeros behind each small image lets both go through the batch without a gap.
#include "gradient_writes.hpp"
#include "passes.hpp"
#include "scratch.hpp"

#include <ATen/Parallel.h>
#include <algorithm>
#include <vector>

namespace civitas::strided {
namespace {

template <class T>
class DirectGradient {
public:
    DirectGradient(Image<const T> big, Image<const T> small, float* leaf)
        : big_(big),
          small_(small),
          leaf_(leaf),
          zeros_(static_cast<std::size_t>(round_up(std::max(big.channels, small.channels), panel))),
          row_words_(divide_up(small.width, per_word)),
          all_rows_(small.batch * (small.height + 1)),
          rows_(rows_at_once()),
          words_(round_up(rows_ * row_words_, lanes)),
          panels_(divide_up(big.channels, panel)),
          channels_(channels_of_part()) {}

    /// The order of the sum follows from the sizes of the images alone.
    void all() const {
        const at::Tensor left_memory = scratch(round_up(small_.channels, lanes) * stride());
        Word* const left = words_of(left_memory);
        const std::int64_t parts = units * panels_ * divide_up(small_.channels, channels_);
        for (std::int64_t first = 0; first < all_rows_; first += rows_) {
            pack_small(first, left);
            const Way way = way_to_write(leaf_, big_.channels, rows_ == all_rows_, first == 0);
            at::parallel_for(0, parts, 1, [&](std::int64_t begin, std::int64_t end) {
                const at::Tensor memory = scratch((words_ + row_words_ + most_channels) * panel);
                for (std::int64_t i = begin; i < end; ++i)
                    multiply_part(part(i, first), left, way, words_of(memory));
                _mm_sfence();
            });
        }
    }

private:
    static constexpr std::int64_t per_word = numbers_per_word<T>;
    static constexpr int units = 2 * kernel;
    static constexpr std::int64_t most_channels = 4 * rows_of_tiles;  ///< multiplied at once

    struct Range {
        std::int64_t begin, end;
    };

    /// What a thread does at a time: from a row on, the taps of one column whose rows have the same
    /// f, for some channels of the small image and a panel of those of the big one.
    struct Part {
        std::int64_t first_row;
        std::int64_t unit;
        std::int64_t channel;
        Range small_channels;

        [[nodiscard]] std::int64_t row_tap() const { return unit % 2; }
        /// 0, 2, 1, 3: those that read the same pixels follow each other.
        [[nodiscard]] std::int64_t column_tap() const { return unit / 4 + unit / 2 % 2 * 2; }
    };

    [[nodiscard]] Part part(std::int64_t number, std::int64_t first_row) const {
        const std::int64_t small = number / (units * panels_) * channels_;
        return {first_row,
                number % units,
                number / units % panels_ * panel,
                {small, std::min(small + channels_, small_.channels)}};
    }

    /// Of the small image, so many that all threads have a part; whole blocks of tiles.
    [[nodiscard]] std::int64_t channels_of_part() const {
        const std::int64_t all = divide_up(small_.channels, rows_of_tiles);
        const std::int64_t wanted = divide_up(at::get_num_threads(), units * panels_);
        return divide_up(all, std::min(all, wanted)) * rows_of_tiles;
    }

    /// Words from channel to channel of the small image.
    [[nodiscard]] std::int64_t stride() const { return row_stride(words_); }

    /// As many rows as make long sums, of a small image that lies in a cache.
    [[nodiscard]] std::int64_t rows_at_once() const {
        constexpr std::int64_t most_words = 2048, least_words = 256, of_cache = 1 << 20;
        const std::int64_t words = std::clamp(of_cache / small_.channels, least_words, most_words);
        const std::int64_t rows = std::max<std::int64_t>(words / row_words_, 1);
        return divide_up(all_rows_, divide_up(all_rows_, rows));
    }

    /// The first pixel of a row, or null where there is none.
    static const T* row_of(const Image<const T>& image, std::int64_t batch, std::int64_t y) {
        const bool inside = batch < image.batch && y >= 0 && y < image.height;
        return inside ? image.pixel(batch, y, 0) : nullptr;
    }
    /// A pixel's channels, or zeros.
    const T* pixel(const Image<const T>& image, const T* row, std::int64_t x) const {
        const bool inside = row != nullptr && x >= 0 && x < image.width;
        return inside ? row + x * image.channels : zeros_.data();
    }

    /// Rows of the small image from `first` on: a row for each channel, along which pixels lie.
    void pack_small(std::int64_t first, Word* to) const {
        constexpr std::int64_t some = 4 * lanes;
        const std::int64_t groups = words_ / lanes;
        const std::int64_t all = groups * divide_up(small_.channels, some);
        at::parallel_for(0, all, 1, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) {
                const std::int64_t channel = i / groups * some;
                pack_words(first, i % groups * lanes,
                           {channel, std::min(channel + some, small_.channels)}, to);
            }
        });
    }

    /// Sixteen words of some channels.
    void pack_words(std::int64_t first, std::int64_t word, Range channels, Word* to) const {
        const T* pixels[lanes][per_word];
        for (std::int64_t i = 0; i < lanes; ++i) {
            const std::int64_t row = (word + i) / row_words_;
            const std::int64_t r = first + row;
            const T* const from =
                row < rows_ ? row_of(small_, r / (small_.height + 1), r % (small_.height + 1))
                            : nullptr;
            for (std::int64_t j = 0; j < per_word; ++j)
                pixels[i][j] = pixel(small_, from, (word + i) % row_words_ * per_word + j);
        }
        pack_column<T>(pixels, channels.begin, channels.end, to + word, stride());
    }

    /// Rows of the big image, one more than of the small one, and what fills up the words.
    [[CIVITAS_AVX512]] void pack_big(const Part& part, Word* to) const {
        const __mmask16 left = lanes_from(part.channel, big_.channels);
        const __mmask16 right = lanes_from(part.channel + lanes, big_.channels);
        const Word* const end = to + (words_ + row_words_) * panel;
        for (std::int64_t row = 0; to != end; ++row) {
            const std::int64_t r = part.first_row + row;
            const T* const from = row_of(big_, r / (small_.height + 1),
                                         2 * (r % (small_.height + 1)) + part.row_tap() - 1);
            for (std::int64_t j = 0; j < row_words_ && to != end; ++j, to += panel) {
                const std::int64_t x = 2 * j * per_word + part.column_tap() - 1;
                const T* const a = pixel(big_, from, x) + part.channel;
                const T* const b = pixel(big_, from, x + 2 * (per_word - 1)) + part.channel;
                _mm512_storeu_si512(to, words_at(a, b, left));
                _mm512_storeu_si512(to + lanes, words_at(a + lanes, b + lanes, right));
            }
        }
    }

    void multiply_part(const Part& part, const Word* left, Way way, Word* memory) const {
        pack_big(part, memory);
        auto* const sums = reinterpret_cast<float*>(memory + (words_ + row_words_) * panel);
        const auto [begin, end] = part.small_channels;
        for (std::int64_t channel = begin; channel < end; channel += most_channels) {
            const std::int64_t rows = std::min(end - channel, most_channels);
            for (std::int64_t later = 0; later < 2; ++later) {
                multiply<T>(rows, {left + channel * stride(), stride(), 1},
                            memory + later * row_words_ * panel, words_, sums);
                for (std::int64_t i = 0; i < rows; ++i)
                    write_row(part, channel + i, part.row_tap() + 2 * later, way, sums + i * panel);
            }
        }
    }

    [[CIVITAS_AVX512]] void write_row(const Part& part, std::int64_t channel, std::int64_t row_tap,
                                      Way way, const float* sums) const {
        float* const to =
            leaf_ + ((channel * kernel + row_tap) * kernel + part.column_tap()) * big_.channels;
        const std::int64_t end = std::min(part.channel + panel, big_.channels);
        for (std::int64_t c = part.channel; c < end; c += lanes)
            write_vector(to + c, lanes_from(c, big_.channels),
                         load(sums + c - part.channel, 0xffff), way);
    }

    Image<const T> big_, small_;
    float* leaf_;
    std::vector<T> zeros_;
    std::int64_t row_words_;  ///< of a row of the small image
    std::int64_t all_rows_;   ///< of all small images, and one of zeros behind each
    std::int64_t rows_;       ///< that are multiplied at once
    std::int64_t words_;      ///< of these, and zeros that make whole tiles
    std::int64_t panels_;     ///< of channels of the big image
    std::int64_t channels_;   ///< of the small image, of a part
};

}  // namespace

template <class T>
void run_direct_gradient(Image<const T> big, Image<const T> small, float* leaf) {
    DirectGradient<T>(big, small, leaf).all();
}

template void run_direct_gradient<float>(Image<const float>, Image<const float>, float*);
template void run_direct_gradient<c10::BFloat16>(Image<const c10::BFloat16>,
                                                 Image<const c10::BFloat16>, float*);

}  // namespace civitas::strided
