// `down` and `up`: patches and weights are transformed, multiplied while they lie in a cache, and
// the products written as images.
#include "winograd_passes.hpp"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <algorithm>
#include <vector>

namespace civitas::kernels::winograd {
namespace {

/// One product: patches of some grids of an image, side by side in a row, times weights, to a grid
/// of another image.
template <class T>
struct Product {
    Image<const T> in;
    std::vector<Grid> from;
    Factor<T> weights;
    Image<T> out;
    Grid to;
};

/// Blocks of transformed patches: some rows, one a patch, cut into chunks of words; in each chunk
/// lie nine matrices.
struct Blocks {
    std::int64_t words, chunk_words;  ///< of a row
    std::int64_t rows;
    std::int64_t count;  ///< for all patches of a product

    [[nodiscard]] std::int64_t chunks() const { return divide_up(words, chunk_words); }
    /// From row to row: never a power of two, whose multiples would share few lines of a cache.
    [[nodiscard]] std::int64_t stride() const { return chunk_words + lanes; }
    [[nodiscard]] std::int64_t point_size() const { return rows * stride(); }
    [[nodiscard]] std::int64_t chunk_size() const { return points * point_size(); }
    [[nodiscard]] std::int64_t size() const { return chunks() * chunk_size(); }
    /// Where a word of a row lies, at the first point.
    [[nodiscard]] std::int64_t place(std::int64_t row, std::int64_t word) const {
        return word / chunk_words * chunk_size() + row * stride() + word % chunk_words;
    }
};

at::Tensor scratch(std::int64_t words) { return at::empty({words}, at::kFloat); }
Word* words_of(const at::Tensor& memory) { return static_cast<Word*>(memory.mutable_data_ptr()); }

template <class T>
[[CIVITAS_AVX512]] void transform_patch(const Product<T>& product, Patch patch, const T* zeros,
                                        const Blocks& blocks, std::int64_t row, Word* to) {
    constexpr std::int64_t step = lanes / numbers_per_word<T>;
    std::int64_t first = 0;
    for (const Grid& grid : product.from) {
        const T* pixels[9];
        find_pixels<3>(product.in, grid, patch, zeros, pixels);
        const std::int64_t words = row_words<T>(product.in.channels);
        for (std::int64_t word = 0; word < words; word += step) {
            const std::int64_t channel = word * numbers_per_word<T>;
            const __mmask16 there = lanes_from(channel, product.in.channels);
            __m512 d[points];
            differences(pixels, there == 0 ? 0 : channel, there, d);
            Word* const place = to + blocks.place(row, first + word);
            for (int p = 0; p < points; ++p) store_row(place + p * blocks.point_size(), d[p], T());
        }
        first += words;
    }
}

template <class T>
[[CIVITAS_AVX512]] void write_patch(const Product<T>& product, Patch patch, std::int64_t channel,
                                    const float* m, std::int64_t apart) {
    T* pixels[4];
    find_pixels<2>(product.out, product.to, patch, static_cast<T*>(nullptr), pixels);
    for (std::int64_t half = 0; half < panel; half += lanes) {
        const __mmask16 there = lanes_from(channel + half, product.out.channels);
        if (there == 0) return;
        __m512 y[4];
        results(m + half, apart, y);
        for (int i = 0; i < 4; ++i)
            if (pixels[i] != nullptr) store(pixels[i] + channel + half, there, y[i]);
    }
}

/// All products of `down` or `up`, which have one shape.
template <class T>
class Run {
public:
    Run(const std::vector<Product<T>>& products, Patches patches)
        : products_(products),
          patches_(patches),
          weights_(products.front().weights),
          zeros_(static_cast<std::size_t>(products.front().in.channels)) {}

    void all() const {
        if (patches_.count() <= few_patches)
            few();
        else
            many();
    }

private:
    static constexpr std::int64_t few_patches = 128;

    /// All patches are transformed first. Then each thread has panels of weights of its own, and
    /// multiplies words of them as soon as they are packed: weights are read once, and packed ones
    /// never leave the cache.
    void few() const {
        const Tiling tiling = tiling_for_few();
        const Blocks blocks{weights_.words(), tiling.words, patches_.count(), 1};
        const at::Tensor patches = scratch(std::ssize(products_) * blocks.size());
        at::parallel_for(
            0, std::ssize(products_) * blocks.rows, 1, [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t i = begin; i < end; ++i) {
                    const std::int64_t product = i / blocks.rows, row = i % blocks.rows;
                    transform_patch(products_[static_cast<std::size_t>(product)], patches_.at(row),
                                    zeros_.data(), blocks, row,
                                    words_of(patches) + product * blocks.size());
                }
            });
        const std::int64_t groups = divide_up(weights_.panels(), tiling.panels);
        at::parallel_for(
            0, std::ssize(products_) * groups, 1, [&](std::int64_t begin, std::int64_t end) {
                const at::Tensor packed = scratch(tiling.panels * points * tiling.point_size());
                const at::Tensor sums = scratch(tiling.panels * points * blocks.rows * panel);
                for (std::int64_t i = begin; i < end; ++i)
                    multiply_group(i / groups, i % groups, tiling, blocks,
                                   words_of(patches) + i / groups * blocks.size(), words_of(packed),
                                   sums.mutable_data_ptr<float>());
            });
    }

    /// How much of the weights is packed at once.
    struct Tiling {
        std::int64_t panels, words;
        [[nodiscard]] std::int64_t point_size() const { return words * panel + lanes; }
    };

    [[nodiscard]] Tiling tiling_for_few() const {
        const std::int64_t words = weights_.words();
        if (weights_.direction == Direction::down) return {1, std::min<std::int64_t>(words, 128)};
        const std::int64_t panels = std::clamp<std::int64_t>(512 / patches_.count(), 1, 8);
        const std::int64_t all = std::ssize(products_) * weights_.panels();
        return {std::min({panels, weights_.panels(), divide_up(all, at::get_num_threads())}),
                std::min<std::int64_t>(words, 32)};
    }

    void multiply_group(std::int64_t number, std::int64_t group, const Tiling& tiling,
                        const Blocks& blocks, const Word* patches, Word* packed,
                        float* sums) const {
        const Product<T>& product = products_[static_cast<std::size_t>(number)];
        const std::int64_t panel_size = points * tiling.point_size();
        const std::int64_t first = group * tiling.panels;
        const std::int64_t panels = std::min(tiling.panels, weights_.panels() - first);
        const std::int64_t sums_size = points * blocks.rows * panel;
        for (std::int64_t word = 0; word < blocks.words; word += tiling.words) {
            const std::int64_t words = std::min(tiling.words, blocks.words - word);
            pack(product.weights, {first, panels, word, words}, packed, tiling.point_size());
            for (std::int64_t n = 0; n < panels; ++n)
                multiply_points(blocks, blocks.rows, patches + blocks.place(0, word),
                                packed + n * panel_size, tiling.point_size(), words,
                                sums + n * sums_size, word == 0 ? Sum::begins : Sum::goes_on);
        }
        for (std::int64_t n = 0; n < panels; ++n)
            write_block(product, 0, blocks.rows, first + n, sums + n * sums_size);
    }

    void multiply_points(const Blocks& blocks, std::int64_t rows, const Word* patches,
                         const Word* weights, std::int64_t point_size, std::int64_t words,
                         float* sums, Sum sum) const {
        for (int p = 0; p < points; ++p)
            multiply<T>(rows, {patches + p * blocks.point_size(), blocks.stride(), 1},
                        weights + p * point_size, words, sums + p * rows * panel, sum);
    }

    void write_block(const Product<T>& product, std::int64_t first, std::int64_t rows,
                     std::int64_t n, const float* sums) const {
        for (std::int64_t row = 0; row < rows; ++row)
            write_patch(product, patches_.at(first + row), n * panel, sums + row * panel,
                        rows * panel);
    }

    /// All weights are packed first. Then each thread has blocks of its own, which stay in its
    /// cache.
    void many() const {
        const std::int64_t words = weights_.words(), panels = weights_.panels();
        const std::int64_t point_size = words * panel, panel_size = points * point_size;
        const at::Tensor packed = scratch(std::ssize(products_) * panels * panel_size);
        at::parallel_for(
            0, std::ssize(products_) * panels, 1, [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t i = begin; i < end; ++i)
                    pack(products_[static_cast<std::size_t>(i / panels)].weights,
                         {i % panels, 1, 0, words}, words_of(packed) + i * panel_size, point_size);
            });
        const std::int64_t most = std::clamp(cache_words / (points * words), least_rows, most_rows);
        const Blocks blocks{words, words, most, divide_up(patches_.count(), most)};
        at::parallel_for(
            0, blocks.count * std::ssize(products_), 1, [&](std::int64_t begin, std::int64_t end) {
                const at::Tensor patches = scratch(blocks.size());
                const at::Tensor sums = scratch(points * blocks.rows * panel);
                for (std::int64_t i = begin; i < end; ++i) {
                    const std::int64_t number = i % std::ssize(products_);
                    multiply_block(number, i / std::ssize(products_), blocks, words_of(patches),
                                   words_of(packed) + number * panels * panel_size,
                                   sums.mutable_data_ptr<float>());
                }
            });
    }

    void multiply_block(std::int64_t number, std::int64_t block, const Blocks& blocks,
                        Word* patches, const Word* packed, float* sums) const {
        const Product<T>& product = products_[static_cast<std::size_t>(number)];
        const std::int64_t first = block * blocks.rows;
        const std::int64_t rows = std::min(blocks.rows, patches_.count() - first);
        for (std::int64_t row = 0; row < rows; ++row)
            transform_patch(product, patches_.at(first + row), zeros_.data(), blocks, row, patches);
        const std::int64_t point_size = blocks.words * panel;
        for (std::int64_t n = 0; n < weights_.panels(); ++n) {
            multiply_points(blocks, rows, patches, packed + n * points * point_size, point_size,
                            blocks.words, sums, Sum::begins);
            write_block(product, first, rows, n, sums);
        }
    }

    static constexpr std::int64_t cache_words = 450 * 1024 / sizeof(Word);
    static constexpr std::int64_t least_rows = 56, most_rows = 112;

    const std::vector<Product<T>>& products_;
    Patches patches_;
    const Factor<T>& weights_;  ///< of the first product, for the sizes of all
    std::vector<T> zeros_;
};

}  // namespace

template <class T>
void run_down(Image<const T> big, const T* weight, Image<T> small) {
    std::vector<Grid> from;
    for (int phase = 0; phase < phases; ++phase) from.push_back(phase_grid(phase));
    const Factor<T> factor{weight, {small.channels, big.channels}, Direction::down, 0};
    const std::vector<Product<T>> products{{big, from, factor, small, {0, 0, 1}}};
    Run<T>(products, Patches(small)).all();
}

// Row r of the small image and the one before it give row r of a phase; the first of the even phase
// is padding, so there patches begin one row later. Columns likewise.
template <class T>
void run_up(Image<const T> small, const T* weight, Image<T> big) {
    std::vector<Product<T>> products;
    for (int phase = 0; phase < phases; ++phase) {
        const std::int64_t row = row_phase(phase), column = column_phase(phase);
        products.push_back({small,
                            {{-row, -column, 1}},
                            Factor<T>{weight, {small.channels, big.channels}, Direction::up, phase},
                            big,
                            {1 - row, 1 - column, 2}});
    }
    Run<T>(products, Patches(small)).all();
}

template void run_down<float>(Image<const float>, const float*, Image<float>);
template void run_down<c10::BFloat16>(Image<const c10::BFloat16>, const c10::BFloat16*,
                                      Image<c10::BFloat16>);
template void run_up<float>(Image<const float>, const float*, Image<float>);
template void run_up<c10::BFloat16>(Image<const c10::BFloat16>, const c10::BFloat16*,
                                    Image<c10::BFloat16>);

}  // namespace civitas::kernels::winograd
