// The gradient of weights as products of pixels themselves. Tiles multiply so fast that transforms
// would take longer than what they save, and nothing is rounded.
//
// With y and x of the small image, the gradient at a tap (ky, kx) is the product of all small
// pixels and of the big pixels (2y+ky-1, 2x+kx-1), summed over both and the batch. Those of a
// parity of rows and columns are a phase of the big image, where taps ky and ky+2 are a row apart.
#include "gradient_order.hpp"
#include "gradient_writes.hpp"
#include "passes.hpp"
#include "scratch.hpp"

#include <ATen/Parallel.h>
#include <algorithm>
#include <vector>

namespace civitas::strided {
namespace {

using simd::rows_of_tile;

struct Range {
    std::int64_t begin, end;
    [[nodiscard]] std::int64_t size() const { return end - begin; }
};

template <class T>
class DirectGradient {
public:
    DirectGradient(Image<const T> big, Image<const T> small, float* leaf)
        : big_(big),
          small_(small),
          leaf_(leaf),
          zeros_(static_cast<std::size_t>(round_up(std::max(big.channels, small.channels), panel))),
          order_(small.batch, small.extent()),
          rows_(rows_at_once()),
          panels_(divide_up(big.channels, panel)),
          channels_(channels_of_part()) {}

    /// The order of the sum follows from the sizes of the images alone.
    void all() const {
        const std::int64_t all_parts = panels_ * divide_up(small_.channels, channels_);
        for (std::int64_t first = 0; first < order_.rows(); first += rows_) {
            const Range rows{first, std::min(first + rows_, order_.rows())};
            const Chunk chunk = chunk_of(rows);
            const at::Tensor left = scratch(round_up(small_.channels, lanes) * chunk.stride());
            pack_small(chunk, words_of(left));
            const Way way =
                way_to_write(leaf_, big_.channels, rows.size() == order_.rows(), first == 0);
            at::parallel_for(0, all_parts, 1, [&](std::int64_t begin, std::int64_t end) {
                const at::Tensor memory = scratch(phases * phase_size(rows));
                for (std::int64_t i = begin; i < end; ++i)
                    multiply_part(part(i), chunk, words_of(left), way, words_of(memory));
                _mm_sfence();
            });
        }
    }

private:
    static constexpr std::int64_t parts = bf16_parts<T>;
    static constexpr std::int64_t pixel_words = parts * panel;  ///< of a pixel of the big image

    /// Rows that are multiplied at once.
    struct Chunk {
        Range rows;
        std::vector<simd::TileStep> steps;      ///< of a tap
        std::vector<std::int64_t> with_pixels;  ///< rows
        std::int64_t words;                     ///< of a channel of the small image

        /// Words from channel to channel of the small image, whose parts follow each other.
        [[nodiscard]] std::int64_t stride() const { return row_stride(parts * words); }
    };

    /// What a thread does at a time: some channels of the small image and a panel of those of the
    /// big one.
    struct Part {
        std::int64_t channel;
        Range small_channels;
    };

    [[nodiscard]] Part part(std::int64_t number) const {
        const std::int64_t small = number / panels_ * channels_;
        return {number % panels_ * panel, {small, std::min(small + channels_, small_.channels)}};
    }

    /// Of the small image: whole blocks of tiles, so many that all threads have a part.
    [[nodiscard]] std::int64_t channels_of_part() const {
        const std::int64_t all = divide_up(small_.channels, rows_of_tiles);
        const std::int64_t wanted = divide_up(at::get_num_threads(), panels_);
        return divide_up(all, std::min(all, wanted)) * rows_of_tiles;
    }

    /// Pixels of a row of a phase of the big image, which has a column more than the small one.
    [[nodiscard]] std::int64_t row_places() const { return order_.words() + order_.pairs(); }
    [[nodiscard]] std::int64_t row_size() const { return row_places() * pixel_words; }
    /// Words of a phase, with a row more.
    [[nodiscard]] std::int64_t phase_size(Range rows) const {
        return (rows.size() + 1) * row_size();
    }

    /// As many rows as lie in a cache, a panel of the big image.
    [[nodiscard]] std::int64_t rows_at_once() const {
        constexpr std::int64_t of_cache = std::int64_t{256} << 10;
        const std::int64_t fitting =
            std::max<std::int64_t>(of_cache / (phases * row_size()) - 1, 1);
        return divide_up(order_.rows(), divide_up(order_.rows(), fitting));
    }

    [[nodiscard]] Chunk chunk_of(Range rows) const {
        Chunk made{rows, {}, {}, 0};
        for (std::int64_t row = rows.begin; row < rows.end; ++row) {
            if (!order_.has_pixels(row)) continue;
            made.with_pixels.push_back(row);
            for (std::int64_t word = 0; word < order_.words(); word += lanes, made.words += lanes)
                made.steps.push_back(
                    {made.words, (row - rows.begin) * row_size() + word * pixel_words});
        }
        return made;
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

    /// A row for each channel of the small image, along which pixels lie.
    void pack_small(const Chunk& chunk, Word* to) const {
        constexpr std::int64_t some = 4 * lanes;
        const std::int64_t tiles = chunk.words / lanes;
        const std::int64_t all = tiles * divide_up(small_.channels, some);
        at::parallel_for(0, all, 1, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) {
                const std::int64_t channel = i / tiles * some;
                pack_words(chunk, i % tiles * lanes,
                           {channel, std::min(channel + some, small_.channels)}, to);
            }
        });
    }

    /// Sixteen words of some channels.
    void pack_words(const Chunk& chunk, std::int64_t word, Range channels, Word* to) const {
        const std::int64_t row = chunk.with_pixels[static_cast<std::size_t>(word / order_.words())];
        const T* pixels[lanes][2];
        for (std::int64_t i = 0; i < lanes; ++i) {
            const std::int64_t place = (word + i) % order_.words();
            for (std::int64_t second = 0; second < 2; ++second) {
                const auto [image, y] =
                    order_.at(place % order_.pairs() + second * order_.pairs(), row);
                pixels[i][second] = pixel(small_, row_of(small_, image, y), place / order_.pairs());
            }
        }
        put_column(pixels, channels, to + word, chunk);
    }

    [[CIVITAS_AVX512]] void put_column(const T* const (&pixels)[lanes][2], Range channels, Word* to,
                                       const Chunk& chunk) const {
        for (std::int64_t c = channels.begin; c < channels.end; c += lanes) {
            __m512i rows[parts][lanes];
            for (std::int64_t i = 0; i < lanes; ++i) {
                PairWords<T> words;
                load_pairs(pixels[i][0] + c, pixels[i][1] + c, lanes_from(c, channels.end), words);
                for (std::int64_t part = 0; part < parts; ++part) rows[part][i] = words[part];
            }
            for (std::int64_t part = 0; part < parts; ++part) {
                transpose(rows[part]);
                for (std::int64_t i = 0; i < lanes; ++i)
                    _mm512_storeu_si512(to + (c + i) * chunk.stride() + part * chunk.words,
                                        rows[part][i]);
            }
        }
    }

    /// A panel of all phases of the big image.
    void pack_big(Range rows, std::int64_t channel, Word* to) const {
        for (int phase = 0; phase < phases; ++phase)
            for (std::int64_t row = rows.begin; row <= rows.end; ++row, to += row_size())
                pack_row(phase, row, channel, to);
    }

    /// The next pixels of a row are asked for: of each a part is read.
    void prefetch_next(const T* pixel) const {
        constexpr std::int64_t ahead = 8, line = 64 / sizeof(T);
        for (std::int64_t c = 0; c < panel; c += line)
            __builtin_prefetch(pixel + 2 * ahead * big_.channels + c);
    }

    [[CIVITAS_AVX512]] void pack_row(int phase, std::int64_t row, std::int64_t channel,
                                     Word* to) const {
        const Grid grid = phase_grid(phase);
        for (std::int64_t pair = 0; pair < order_.pairs(); ++pair) {
            const T* from[2];
            for (std::int64_t i = 0; i < 2; ++i) {
                const auto [image, y] = order_.at(pair + i * order_.pairs(), row);
                from[i] = row_of(big_, image, grid.row + grid.step * y);
            }
            for (std::int64_t place = pair; place < row_places(); place += order_.pairs()) {
                const std::int64_t x = grid.column + grid.step * (place / order_.pairs());
                const T* const pixels[2] = {pixel(big_, from[0], x), pixel(big_, from[1], x)};
                for (const T* one : pixels) prefetch_next(one + channel);
                put_pixel(pixels, channel, to + place * pixel_words);
            }
        }
    }

    [[CIVITAS_AVX512, gnu::always_inline]] inline void put_pixel(const T* const (&pixels)[2],
                                                                 std::int64_t channel,
                                                                 Word* to) const {
        for (std::int64_t half = 0; half < panel; half += lanes) {
            const __mmask16 there = lanes_from(channel + half, big_.channels);
            const std::int64_t c = there == 0 ? 0 : channel + half;
            PairWords<T> words;
            load_pairs(pixels[0] + c, pixels[1] + c, there, words);
            for (std::int64_t part = 0; part < parts; ++part)
                _mm512_storeu_si512(to + part * panel + half, words[part]);
        }
    }

    void multiply_part(const Part& part, const Chunk& chunk, const Word* left, Way way,
                       Word* memory) const {
        pack_big(chunk.rows, part.channel, memory);
        const auto [begin, end] = part.small_channels;
        for (std::int64_t channel = begin; channel < end; channel += rows_of_tiles) {
            const std::int64_t rows = std::min(end - channel, rows_of_tiles);
            std::vector<const Word*> tiles;
            for (std::int64_t row = 0; row < rows; row += rows_of_tile)
                tiles.push_back(left + (channel + row) * chunk.stride());
            for (std::int64_t y = 0; y < kernel; ++y)
                for (std::int64_t x = 0; x < kernel; ++x) {
                    alignas(64) float sums[rows_of_tiles * panel];
                    const Word* const tap = memory + (y % 2 * 2 + x % 2) * phase_size(chunk.rows) +
                                            y / 2 * row_size() +
                                            x / 2 * order_.pairs() * pixel_words;
                    simd::multiply_steps<T>({tiles, chunk.stride(), chunk.words},
                                            {tap, pixel_words, panel}, chunk.steps, sums,
                                            Sum::begins);
                    for (std::int64_t i = 0; i < rows; ++i)
                        write_row(channel + i, y * kernel + x, part.channel, way, sums + i * panel);
                }
        }
    }

    [[CIVITAS_AVX512]] void write_row(std::int64_t small, std::int64_t tap, std::int64_t channel,
                                      Way way, const float* sums) const {
        float* const to = leaf_ + (small * kernel * kernel + tap) * big_.channels;
        const std::int64_t end = std::min(channel + panel, big_.channels);
        for (std::int64_t c = channel; c < end; c += lanes)
            write_vector(to + c, lanes_from(c, big_.channels), load(sums + c - channel, 0xffff),
                         way);
    }

    Image<const T> big_, small_;
    float* leaf_;
    std::vector<T> zeros_;
    GradientOrder order_;
    std::int64_t rows_;      ///< of groups, multiplied at once
    std::int64_t panels_;    ///< of channels of the big image
    std::int64_t channels_;  ///< of the small image, of a part
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
