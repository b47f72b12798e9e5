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

/// Some of things in a row.
struct Span {
    std::int64_t first, count;
};
/// The number-th span of `size` of `all` things; the last may be shorter.
Span span(std::int64_t number, std::int64_t size, std::int64_t all) {
    const std::int64_t first = std::min(number * size, all);
    return {first, std::min(size, all - first)};
}

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
        const std::int64_t right = 2 * grid.step * product.in.channels;
        for (std::int64_t word = 0; word < words; word += step) {
            const std::int64_t channel = word * numbers_per_word<T>;
            const __mmask16 there = lanes_from(channel, product.in.channels);
            for (const int i :
                 {4, 5, 7, 8})  // what the patch to the right has and this one has not
                _mm_prefetch(pixels[i] + channel + right, _MM_HINT_T0);
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

/// Asks for the memory that write_patch writes.
template <class T>
[[CIVITAS_AVX512]] void prefetch_patch(const Product<T>& product, Patch patch, std::int64_t channel,
                                       std::int64_t channels) {
    T* pixels[4];
    find_pixels<2>(product.out, product.to, patch, static_cast<T*>(nullptr), pixels);
    for (T* pixel : pixels)
        for (std::int64_t c = 0; pixel != nullptr && c < channels; c += lanes)
            __builtin_prefetch(pixel + channel + c, 1);
}

/// All products of `down` or `up`, which have one shape. Weights are packed in pieces: some words
/// of some panels, which patches are multiplied by while both lie in a cache.
template <class T>
class Run {
public:
    Run(const std::vector<Product<T>>& products, Patches patches)
        : products_(products),
          patches_(patches),
          few_(patches.count() <= few_patches),
          words_(products.front().weights.words()),
          panels_(products.front().weights.panels()),
          piece_words_(few_ ? std::min(words_, most_words) : words_),
          piece_panels_(few_ ? std::min(panels_, most_panels) : 1),
          zeros_(static_cast<std::size_t>(products.front().in.channels)) {}

    void all() const {
        if (few_)
            few();
        else
            many();
    }

private:
    static constexpr std::int64_t few_patches = 256;
    static constexpr std::int64_t most_words = 128, most_panels = 2;
    static constexpr std::int64_t cache_words = (std::int64_t{450} << 10) / sizeof(Word);
    static constexpr std::int64_t least_rows = 56, most_rows = 112;

    /// Panels of a product that are multiplied together.
    struct Group {
        const Product<T>& product;
        std::int64_t first, panels;
    };

    [[nodiscard]] const Product<T>& product(std::int64_t number) const {
        return products_[static_cast<std::size_t>(number)];
    }
    [[nodiscard]] std::int64_t groups_of_each() const { return divide_up(panels_, piece_panels_); }
    [[nodiscard]] std::int64_t groups() const { return std::ssize(products_) * groups_of_each(); }
    [[nodiscard]] Group group(std::int64_t number) const {
        const Span panels = span(number % groups_of_each(), piece_panels_, panels_);
        return {product(number / groups_of_each()), panels.first, panels.count};
    }

    [[nodiscard]] std::int64_t pieces() const { return divide_up(words_, piece_words_); }
    [[nodiscard]] std::int64_t point_size() const { return piece_words_ * panel + lanes; }
    [[nodiscard]] std::int64_t piece_size() const { return piece_panels_ * points * point_size(); }
    [[nodiscard]] std::int64_t sums_size(std::int64_t rows) const {
        return piece_panels_ * points * rows * panel;
    }
    void pack_piece(const Group& group, std::int64_t piece, Word* to) const {
        const Span words = span(piece, piece_words_, words_);
        pack(group.product.weights, {group.first, group.panels, words.first, words.count}, to,
             point_size());
    }

    /// All patches are transformed first. Then each thread has groups of its own, and packs a piece
    /// just before it is multiplied: it never leaves the cache.
    void few() const {
        const Blocks blocks{words_, piece_words_, patches_.count()};
        const at::Tensor memory = scratch(std::ssize(products_) * blocks.size());
        const auto block_of = [&](std::int64_t number) {
            return words_of(memory) + number * blocks.size();
        };
        const std::int64_t all = std::ssize(products_) * blocks.rows;
        at::parallel_for(0, all, 1, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i)
                transform_patch(product(i / blocks.rows), patches_.at(i % blocks.rows),
                                zeros_.data(), blocks, i % blocks.rows, block_of(i / blocks.rows));
        });
        at::parallel_for(0, groups(), 1, [&](std::int64_t begin, std::int64_t end) {
            const at::Tensor packed = scratch(piece_size()), sums = scratch(sums_size(blocks.rows));
            for (std::int64_t g = begin; g < end; ++g)
                multiply_group(
                    group(g), {0, blocks.rows}, blocks, block_of(g / groups_of_each()),
                    [&](std::int64_t piece) {
                        pack_piece(group(g), piece, words_of(packed));
                        return words_of(packed);
                    },
                    sums.mutable_data_ptr<float>());
        });
    }

    /// All weights are packed first, a panel a piece. Then each thread has blocks of patches of its
    /// own.
    void many() const {
        const at::Tensor packed = scratch(groups() * pieces() * piece_size());
        at::parallel_for(0, groups() * pieces(), 1, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i)
                pack_piece(group(i / pieces()), i % pieces(), words_of(packed) + i * piece_size());
        });
        const Blocks blocks{words_, piece_words_,
                            std::clamp(cache_words / (points * words_), least_rows, most_rows)};
        const std::int64_t all = divide_up(patches_.count(), blocks.rows) * std::ssize(products_);
        at::parallel_for(0, all, 1, [&](std::int64_t begin, std::int64_t end) {
            const at::Tensor memory = scratch(blocks.size() + sums_size(blocks.rows));
            for (std::int64_t i = begin; i < end; ++i)
                multiply_block(i % std::ssize(products_), i / std::ssize(products_), blocks,
                               words_of(packed), words_of(memory));
        });
    }

    /// memory: of a block and the sums of a group.
    void multiply_block(std::int64_t number, std::int64_t block, const Blocks& blocks,
                        const Word* packed, Word* memory) const {
        const Span rows = span(block, blocks.rows, patches_.count());
        for (std::int64_t row = 0; row < rows.count; ++row)
            transform_patch(product(number), patches_.at(rows.first + row), zeros_.data(), blocks,
                            row, memory);
        const std::int64_t end = (number + 1) * groups_of_each();
        for (std::int64_t g = number * groups_of_each(); g < end; ++g)
            multiply_group(
                group(g), rows, blocks, memory,
                [&](std::int64_t piece) { return packed + (g * pieces() + piece) * piece_size(); },
                reinterpret_cast<float*>(memory + blocks.size()));
    }

    /// piece_at(number): packed words of the group.
    template <class PieceAt>
    void multiply_group(const Group& group, Span rows, const Blocks& blocks, const Word* patches,
                        PieceAt piece_at, float* sums) const {
        for (std::int64_t piece = 0; piece < pieces(); ++piece) {
            const std::int64_t words = span(piece, piece_words_, words_).count;
            const Word* const weights = piece_at(piece);
            const Word* const from = patches + piece * blocks.chunk_size();
            for (int p = 0; p < points; ++p) {  // patches of a point stay in a cache for all panels
                for (std::int64_t i = p; i < group.panels * points; i += points)
                    multiply<T>(rows.count, {from + p * blocks.point_size(), blocks.stride(), 1},
                                weights + i * point_size(), words, sums + i * rows.count * panel,
                                piece == 0 ? Sum::begins : Sum::goes_on);
                if (piece + 1 == pieces()) prefetch_results(group, rows, p);
            }
        }
        for (std::int64_t n = 0; n < group.panels; ++n)
            for (std::int64_t row = 0; row < rows.count; ++row)
                write_patch(group.product, patches_.at(rows.first + row), (group.first + n) * panel,
                            sums + (n * points * rows.count + row) * panel, rows.count * panel);
    }

    /// One in nine of the patches, while the last piece is multiplied.
    void prefetch_results(const Group& group, Span rows, int p) const {
        const Span part = span(p, divide_up(rows.count, points), rows.count);
        for (std::int64_t row = 0; row < part.count; ++row)
            prefetch_patch(group.product, patches_.at(rows.first + part.first + row),
                           group.first * panel, group.panels * panel);
    }

    const std::vector<Product<T>>& products_;
    Patches patches_;
    bool few_;                                 ///< patches: packed weights would be read seldom
    std::int64_t words_, panels_;              ///< of the weights of a product
    std::int64_t piece_words_, piece_panels_;  ///< of a piece
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
