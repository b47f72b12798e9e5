// The gradient of weights as products of pixels themselves. Tiles multiply so fast that transforms
// would take longer than what they save.
//
// With y and x of the small image, the gradient at a tap (ky, kx) is the product of all small
// pixels and of the big pixels (2y+ky-1, 2x+kx-1), summed over both and the batch. Those of a
// parity of rows and columns are a phase of the big image, where taps ky and ky+2 are a row apart.
#include "gradient_pixels.hpp"
#include "gradient_writes.hpp"
#include "passes.hpp"
#include "scratch.hpp"

#include <ATen/Parallel.h>
#include <algorithm>
#include <vector>

namespace civitas::strided {
namespace {

using simd::rows_of_tile;

template <class T>
class DirectGradient {
public:
    DirectGradient(Image<const T> big, Image<const T> small, float* leaf)
        : small_channels_(small.channels),
          big_channels_(big.channels),
          leaf_(leaf),
          pixels_(big, small),
          rows_(rows_at_once()),
          panels_(divide_up(big.channels, panel)),
          channels_(channels_of_share()) {}

    /// The order of the sum follows from the sizes of the images alone.
    void all() const {
        const std::int64_t of_round = rows_of_round();
        const std::int64_t shares = panels_ * divide_up(small_channels_, channels_);
        for (std::int64_t first = 0; first < pixels_.rows(); first += of_round) {
            const Round round = round_of({first, std::min(first + of_round, pixels_.rows())});
            pixels_.pack_small(round.chunks);
            at::parallel_for(0, shares, 1, [&](std::int64_t begin, std::int64_t end) {
                const at::Tensor memory = scratch(phases * pixels_.phase_size(rows_));
                for (std::int64_t i = begin; i < end; ++i)
                    for (const GradientChunk& chunk : round.chunks)
                        multiply_share(share(i), chunk, words_of(memory));
                _mm_sfence();
            });
        }
    }

private:
    /// Chunks that threads go through without waiting for each other.
    struct Round {
        std::vector<GradientChunk> chunks;
        at::Tensor memory;
    };

    /// What a thread does at a time: some channels of the small image and a panel of those of the
    /// big one.
    struct Share {
        std::int64_t channel;
        Range small_channels;
    };

    [[nodiscard]] Share share(std::int64_t number) const {
        const std::int64_t small = number / panels_ * channels_;
        return {number % panels_ * panel, {small, std::min(small + channels_, small_channels_)}};
    }

    /// Of the small image: whole blocks of tiles, so many that all threads have a share.
    [[nodiscard]] std::int64_t channels_of_share() const {
        const std::int64_t all = divide_up(small_channels_, rows_of_tiles);
        const std::int64_t wanted = divide_up(at::get_num_threads(), panels_);
        return divide_up(all, std::min(all, wanted)) * rows_of_tiles;
    }

    /// As many rows as lie in a cache, a panel of the big image.
    [[nodiscard]] std::int64_t rows_at_once() const {
        constexpr std::int64_t of_cache = std::int64_t{256} << 10;
        const std::int64_t fitting =
            std::max<std::int64_t>(of_cache / (phases * pixels_.row_size()) - 1, 1);
        return divide_up(pixels_.rows(), divide_up(pixels_.rows(), fitting));
    }

    /// As many whole chunks as take some memory for the small image.
    [[nodiscard]] std::int64_t rows_of_round() const {
        constexpr std::int64_t most_words = std::int64_t{8} << 20;
        const std::int64_t chunk = pixels_.size_of(pixels_.chunk_of({0, rows_}));
        return rows_ * std::max(most_words / chunk, std::int64_t{1});
    }

    [[nodiscard]] Round round_of(Range rows) const {
        Round made;
        std::int64_t words = 0;
        for (std::int64_t first = rows.begin; first < rows.end; first += rows_) {
            made.chunks.push_back(pixels_.chunk_of({first, std::min(first + rows_, rows.end)}));
            words += pixels_.size_of(made.chunks.back());
        }
        made.memory = scratch(words);
        Word* left = words_of(made.memory);
        for (GradientChunk& chunk : made.chunks) {
            chunk.left = left;
            left += pixels_.size_of(chunk);
        }
        return made;
    }

    void multiply_share(const Share& share, const GradientChunk& chunk, Word* memory) const {
        const bool once = chunk.rows.size() == pixels_.rows();
        const Way way = way_to_write(leaf_, big_channels_, once, chunk.rows.begin == 0);
        pixels_.pack_big(chunk.rows, share.channel, memory);
        const auto [begin, end] = share.small_channels;
        for (std::int64_t channel = begin; channel < end; channel += rows_of_tiles) {
            const std::int64_t rows = std::min(end - channel, rows_of_tiles);
            std::vector<const Word*> tiles;
            for (std::int64_t row = 0; row < rows; row += rows_of_tile)
                tiles.push_back(chunk.left + (channel + row) * chunk.stride);
            for (std::int64_t y = 0; y < kernel; ++y)
                for (std::int64_t x = 0; x < kernel; ++x) {
                    alignas(64) float sums[rows_of_tiles * panel];
                    simd::multiply_steps<T>({tiles, chunk.stride, chunk.words},
                                            {memory + pixels_.tap({y, x}, chunk.rows.size()),
                                             pixels_.pixel_words, panel},
                                            chunk.steps, sums, Sum::begins);
                    for (std::int64_t i = 0; i < rows; ++i)
                        write_row(channel + i, y * kernel + x, share.channel, way,
                                  sums + i * panel);
                }
        }
    }

    [[CIVITAS_VECTORS]] void write_row(std::int64_t small, std::int64_t tap, std::int64_t channel,
                                       Way way, const float* sums) const {
        float* const to = leaf_ + (small * kernel * kernel + tap) * big_channels_;
        const std::int64_t end = std::min(channel + panel, big_channels_);
        for (std::int64_t c = channel; c < end; c += lanes)
            write_vector(to + c, lanes_from(c, big_channels_), load(sums + c - channel, 0xffff),
                         way);
    }

    std::int64_t small_channels_, big_channels_;
    float* leaf_;
    GradientPixels<T> pixels_;
    std::int64_t rows_;      ///< of groups, multiplied at once
    std::int64_t panels_;    ///< of channels of the big image
    std::int64_t channels_;  ///< of the small image, of a share
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
