// The gradient of weights where no tiles multiply (direct_gradient.cpp): patches of both images are
// transformed, some at a time, and multiplied along the patches.
#include "dynamic_items.hpp"
#include "gradient_writes.hpp"
#include "passes.hpp"
#include "scratch.hpp"
#include "winograd_tiling.hpp"

#include <ATen/Parallel.h>
#include <algorithm>
#include <vector>

namespace civitas::strided {
inline namespace CIVITAS_SET {
namespace {

template <class T, int m>
class GradientRun {
public:
    GradientRun(Image<const T> big, Image<const T> small, float* leaf)
        : big_(big),
          small_(small),
          leaf_(leaf),
          patches_(m, small.batch, small.extent()),
          zeros_(static_cast<std::size_t>(std::max(big.channels, small.channels))),
          small_stride_(row_stride(small.channels)),
          panels_(divide_up(big.channels, panel)),
          rows_(rows_at_once()),
          words_(words_at_once()) {}

    /// The order of the sum follows from the sizes of the images alone.
    void all() const {
        const at::Tensor memory = scratch(points * (small_point() + big_point()));
        Word* const small_words = words_of(memory);
        Word* const big_words = small_words + points * small_point();
        const std::int64_t all_words = divide_up(patches_.count(), per_word);
        const std::int64_t row_blocks = divide_up(small_.channels, rows_);
        for (std::int64_t first = 0; first < all_words; first += words_) {
            const std::int64_t words = std::min(words_, all_words - first);
            at::parallel_for(0, words, 1, [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t word = begin; word < end; ++word) {
                    transform_small(first + word, small_words + word * small_stride_);
                    transform_big(first + word, big_words + word * panel);
                }
            });
            const std::int64_t columns = phases * panels_;
            const bool once = words == all_words;
            const Way way = way_to_write(leaf_, big_.channels, once, first == 0);
            parallel_dynamic(row_blocks * columns, [&](auto next) {
                std::vector<float> products(static_cast<std::size_t>(points * rows_ * panel));
                while (const auto i = next())
                    multiply_block({small_words, big_words}, words, *i / columns * rows_,
                                   *i % columns, way, products.data());
                _mm_sfence();
            });
        }
    }

private:
    static constexpr int side = side_of(m), points = points_of(m);
    static constexpr std::int64_t per_word = numbers_per_word<T>;
    static constexpr std::int64_t most_rows = 112;

    struct Transforms {
        const Word* small;  ///< [point][patches][channel]
        const Word* big;    ///< [point][phase and panel][patches][channel]
    };

    /// As many in each block, so that threads which have as many blocks have as much to do.
    [[nodiscard]] std::int64_t rows_at_once() const {
        const std::int64_t blocks_of_all = divide_up(at::get_num_threads(), phases * panels_);
        const std::int64_t blocks = std::max(divide_up(small_.channels, most_rows), blocks_of_all);
        return divide_up(small_.channels, blocks);
    }

    [[nodiscard]] std::int64_t words_at_once() const {
        constexpr std::int64_t scratch_words = (std::int64_t{6} << 20) / sizeof(Word);
        const std::int64_t word = points * (small_stride_ + phases * panels_ * panel);
        const std::int64_t fitting = std::max<std::int64_t>(scratch_words / word, 64);
        return std::min(fitting, divide_up(patches_.count(), per_word));
    }

    /// Words from point to point.
    [[nodiscard]] std::int64_t small_point() const { return row_stride(words_ * small_stride_); }
    [[nodiscard]] std::int64_t big_point() const {
        return row_stride(phases * panels_ * words_ * panel);
    }

    template <int pixels_across>
    void find(const Image<const T>& image, Grid grid, std::int64_t number,
              const T* (&pixels)[pixels_across * pixels_across]) const {
        if (number < patches_.count())
            find_pixels<m, pixels_across>(image, grid, patches_.at(number), zeros_.data(), pixels);
        else
            std::fill(std::begin(pixels), std::end(pixels), zeros_.data());
    }

    /// The patches of a word, all channels of the small image.
    [[CIVITAS_VECTORS]] void transform_small(std::int64_t word, Word* to) const {
        const T* pixels[per_word][m * m];
        for (std::int64_t j = 0; j < per_word; ++j)
            find<m>(small_, {0, 0, 1}, word * per_word + j, pixels[j]);
        for (std::int64_t channel = 0; channel < small_.channels; channel += lanes) {
            const Mask there = lanes_from(channel, small_.channels);
            Floats e[per_word][m * m];
            for (std::int64_t j = 0; j < per_word; ++j) {
                prefetch_right<m, m>(pixels[j], channel, per_word * m * small_.channels);
                load_pixels(pixels[j], channel, there, e[j]);
            }
            map_words<ErrorMap, m, side>(e, to + channel, small_point());
        }
    }

    /// The patches of a word, all channels of all phases of the big image.
    [[CIVITAS_VECTORS]] void transform_big(std::int64_t word, Word* to) const {
        const std::int64_t panel_size = words_ * panel;
        for (int phase = 0; phase < phases; ++phase) {
            const T* pixels[per_word][points];
            for (std::int64_t j = 0; j < per_word; ++j)
                find<side>(big_, phase_grid(phase), word * per_word + j, pixels[j]);
            for (std::int64_t channel = 0; channel < panels_ * panel; channel += lanes) {
                const Mask there = lanes_from(channel, big_.channels);
                Floats d[per_word][points];
                for (std::int64_t j = 0; j < per_word; ++j) {
                    prefetch_right<m, side>(pixels[j], channel, 2 * per_word * m * big_.channels);
                    load_pixels(pixels[j], channel, there, d[j]);
                }
                const std::int64_t n = phase * panels_ + channel / panel;
                map_words<DataMap, side, side>(d, to + n * panel_size + channel % panel,
                                               big_point());
            }
        }
    }

    /// Some channels of the small image from `row` on, times one panel of one phase.
    void multiply_block(Transforms from, std::int64_t words, std::int64_t row, std::int64_t column,
                        Way way, float* products) const {
        const std::int64_t rows = std::min(rows_, small_.channels - row);
        for (std::int64_t p = 0; p < points; ++p)
            multiply<T>(rows, {from.small + p * small_point() + row, 1, small_stride_},
                        from.big + p * big_point() + column * words_ * panel, words,
                        products + p * rows * panel);
        const int phase = static_cast<int>(column / panels_);
        const std::int64_t channel = column % panels_ * panel;
        for (std::int64_t i = 0; i < rows; ++i)
            write(row + i, phase, channel, way, products + i * panel, rows * panel);
    }

    [[CIVITAS_VECTORS]] void write(std::int64_t row, int phase, std::int64_t channel, Way way,
                                   const float* products, std::int64_t apart) const {
        for (std::int64_t c = channel; c < std::min(channel + panel, big_.channels); c += lanes) {
            const Mask there = lanes_from(c, big_.channels);
            Floats y[4];
            map_products<GradientMap, side, 2>(products + c - channel, apart, y);
            for (std::int64_t i = 0; i < 4; ++i) {
                const std::int64_t y_row = row_phase(phase) + i / 2 * 2;
                const std::int64_t y_column = column_phase(phase) + i % 2 * 2;
                float* to =
                    leaf_ + ((row * kernel + y_row) * kernel + y_column) * big_.channels + c;
                write_vector(to, there, y[i], way);
            }
        }
    }

    Image<const T> big_, small_;
    float* leaf_;
    Patches patches_;
    std::vector<T> zeros_;
    std::int64_t small_stride_;  ///< words from patches to patches
    std::int64_t panels_;        ///< of channels of a phase
    std::int64_t rows_;          ///< channels of the small image, multiplied at once
    std::int64_t words_;         ///< of patches, transformed at once
};

}  // namespace

template <class T>
void run_gradient(Image<const T> big, Image<const T> small, float* leaf) {
    with_size(size_of_patches(small.extent()),
              [&](auto m) { GradientRun<T, m>(big, small, leaf).all(); });
}

template void run_gradient<float>(Image<const float>, Image<const float>, float*);
template void run_gradient<c10::BFloat16>(Image<const c10::BFloat16>, Image<const c10::BFloat16>,
                                          float*);

}  // namespace CIVITAS_SET
}  // namespace civitas::strided
