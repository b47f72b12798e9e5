// `down` and `up`: blocks of patches are transformed, multiplied by panels of weights while they
// lie in a cache, and written as images.
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
    const Word* weights;
    Image<T> out;
    Grid to;
};

/// Blocks of rows, one row a patch. Their transforms fit into a second-level cache where they do
/// not have too many channels for that.
struct Blocks {
    std::int64_t words;  ///< of a row
    std::int64_t rows;
    std::int64_t count;  ///< for all patches of a product

    Blocks(std::int64_t row_words, std::int64_t patches)
        : words(row_words),
          rows(std::clamp(cache_words / (points * row_words), least_rows, most_rows)),
          count(divide_up(patches, rows)) {}
    /// From row to row: never a power of two, whose multiples would share few lines of a cache.
    [[nodiscard]] std::int64_t stride() const { return words + lanes; }
    [[nodiscard]] std::int64_t point_size() const { return rows * stride(); }
    [[nodiscard]] std::int64_t size() const { return points * point_size(); }

private:
    static constexpr std::int64_t cache_words = 450 * 1024 / sizeof(Word);
    static constexpr std::int64_t least_rows = 56, most_rows = 112;
};

at::Tensor scratch(std::int64_t words) { return at::empty({words}, at::kFloat); }
Word* words_of(const at::Tensor& memory) { return static_cast<Word*>(memory.mutable_data_ptr()); }

template <class T>
[[CIVITAS_AVX512]] void transform_patch(const Product<T>& product, Patch patch, const T* zeros,
                                        Word* row, std::int64_t point_size) {
    constexpr std::int64_t step = lanes / numbers_per_word<T>;
    for (const Grid& grid : product.from) {
        const T* pixels[9];
        find_pixels<3>(product.in, grid, patch, zeros, pixels);
        const std::int64_t words = row_words<T>(product.in.channels);
        for (std::int64_t word = 0; word < words; word += step) {
            const std::int64_t channel = word * numbers_per_word<T>;
            const __mmask16 there = lanes_from(channel, product.in.channels);
            __m512 d[points];
            differences(pixels, there == 0 ? 0 : channel, there, d);
            for (int p = 0; p < points; ++p) store_row(row + word + p * point_size, d[p], T());
        }
        row += words;
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
    Run(const std::vector<Product<T>>& products, Patches patches, Packing packing)
        : products_(products),
          patches_(patches),
          packing_(packing),
          blocks_(packing.words, patches.count()),
          zeros_(static_cast<std::size_t>(products.front().in.channels)) {}

    void all() const {
        const std::int64_t blocks = std::ssize(products_) * blocks_.count;
        if (blocks >= 2 * at::get_num_threads())
            many(blocks);
        else
            few(blocks);
    }

private:
    /// Each thread has blocks of its own, which stay in its cache.
    void many(std::int64_t blocks) const {
        at::parallel_for(0, blocks, 1, [&](std::int64_t begin, std::int64_t end) {
            const at::Tensor memory = scratch(blocks_.size());
            const at::Tensor sums = scratch(points * blocks_.rows * panel);
            for (std::int64_t block = begin; block < end; ++block) {
                for (std::int64_t row = 0; row < blocks_.rows; ++row)
                    transform(block, row, words_of(memory));
                for (std::int64_t n = 0; n < packing_.panels; ++n)
                    multiply_panel(block, n, words_of(memory), sums.mutable_data_ptr<float>());
            }
        });
    }

    /// All threads transform all blocks, then share out the panels of weights.
    void few(std::int64_t blocks) const {
        const at::Tensor memory = scratch(blocks * blocks_.size());
        const auto block_at = [&](std::int64_t block) {
            return words_of(memory) + block * blocks_.size();
        };
        at::parallel_for(0, blocks * blocks_.rows, 1, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i)
                transform(i / blocks_.rows, i % blocks_.rows, block_at(i / blocks_.rows));
        });
        at::parallel_for(0, blocks * packing_.panels, 1, [&](std::int64_t begin, std::int64_t end) {
            const at::Tensor sums = scratch(points * blocks_.rows * panel);
            for (std::int64_t i = begin; i < end; ++i) {
                const std::int64_t block = i / packing_.panels;
                multiply_panel(block, i % packing_.panels, block_at(block),
                               sums.mutable_data_ptr<float>());
            }
        });
    }

    [[nodiscard]] const Product<T>& product(std::int64_t block) const {
        return products_[static_cast<std::size_t>(block) % products_.size()];
    }
    [[nodiscard]] std::int64_t first_patch(std::int64_t block) const {
        return block / std::ssize(products_) * blocks_.rows;
    }

    void transform(std::int64_t block, std::int64_t row, Word* memory) const {
        const std::int64_t number = first_patch(block) + row;
        if (number < patches_.count())
            transform_patch(product(block), patches_.at(number), zeros_.data(),
                            memory + row * blocks_.stride(), blocks_.point_size());
    }

    void multiply_panel(std::int64_t block, std::int64_t n, const Word* memory,
                        float* products) const {
        const std::int64_t first = first_patch(block);
        const std::int64_t rows = std::min(blocks_.rows, patches_.count() - first);
        const Product<T>& done = product(block);
        const Word* weights = done.weights + n * packing_.panel_size();
        for (int p = 0; p < points; ++p)
            multiply<T>(rows, {memory + p * blocks_.point_size(), blocks_.stride(), 1},
                        weights + p * packing_.words * panel, packing_.words,
                        products + p * rows * panel);
        for (std::int64_t row = 0; row < rows; ++row)
            write_patch(done, patches_.at(first + row), n * panel, products + row * panel,
                        rows * panel);
    }

    const std::vector<Product<T>>& products_;
    Patches patches_;
    Packing packing_;
    Blocks blocks_;
    std::vector<T> zeros_;
};

}  // namespace

template <class T>
void run_down(Image<const T> big, const Word* packed, Image<T> small) {
    std::vector<Grid> from;
    for (int phase = 0; phase < phases; ++phase) from.push_back(phase_grid(phase));
    const std::vector<Product<T>> products{{big, from, packed, small, {0, 0, 1}}};
    Run<T>(products, Patches(small), packing_for_down<T>({small.channels, big.channels})).all();
}

// Row r of the small image and the one before it give row r of a phase; the first of the even phase
// is padding, so there patches begin one row later. Columns likewise.
template <class T>
void run_up(Image<const T> small, const Word* packed, Image<T> big) {
    const Packing packing = packing_for_up<T>({small.channels, big.channels});
    std::vector<Product<T>> products;
    for (int phase = 0; phase < phases; ++phase) {
        const std::int64_t row = row_phase(phase), column = column_phase(phase);
        products.push_back({small,
                            {{-row, -column, 1}},
                            packed + phase * packing.panels * packing.panel_size(),
                            big,
                            {1 - row, 1 - column, 2}});
    }
    Run<T>(products, Patches(small), packing).all();
}

template void run_down<float>(Image<const float>, const Word*, Image<float>);
template void run_down<c10::BFloat16>(Image<const c10::BFloat16>, const Word*,
                                      Image<c10::BFloat16>);
template void run_up<float>(Image<const float>, const Word*, Image<float>);
template void run_up<c10::BFloat16>(Image<const c10::BFloat16>, const Word*, Image<c10::BFloat16>);

}  // namespace civitas::kernels::winograd
