// `down` and `up`: patches and weights are transformed, multiplied while they lie in a cache, and
// the products written as images.
#include "scratch.hpp"
#include "winograd_blocks.hpp"
#include "winograd_tiling.hpp"

#include <ATen/Parallel.h>
#include <algorithm>

namespace civitas::strided {
namespace {

/// Some of things in a row.
struct Span {
    std::int64_t first, count;
};
/// The number-th span of `size` of `all` things; the last may be shorter.
Span span(std::int64_t number, std::int64_t size, std::int64_t all) {
    const std::int64_t first = std::min(number * size, all);
    return {first, std::min(size, all - first)};
}

/// All products of `down` or `up`, which have one shape. Weights are packed in pieces: some words
/// of some panels, which patches are multiplied by while both lie in a cache. Where products are
/// `shared`, they read the same patches, which are transformed once for all of them.
template <class T, int m>
class Run {
public:
    Run(const std::vector<Product<T>>& products, const Patches& patches, bool shared)
        : products_(products),
          patches_(patches),
          inputs_(shared ? 1 : std::ssize(products)),
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
    static constexpr int points = points_of(m);
    static constexpr std::int64_t few_patches = 256;
    static constexpr std::int64_t most_words = 128, most_panels = 2;

    /// At most as many patches as lie in a cache together with what they are multiplied by, so many
    /// that threads which have as many blocks have as much to do.
    [[nodiscard]] std::int64_t rows_of_block() const {
        constexpr std::int64_t kilobyte = 1024 / sizeof(Word);
        const std::int64_t most =
            std::clamp(450 * kilobyte / (points * words_), std::int64_t{28}, std::int64_t{112});
        const std::int64_t blocks =
            round_up(divide_up(patches_.count(), most), at::get_num_threads());
        return divide_up(patches_.count(), blocks);
    }

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
        pack<T, m>(group.product.weights, {group.first, group.panels, words.first, words.count}, to,
                   point_size());
    }

    /// All patches are transformed first. Then each thread has groups of its own, and packs a piece
    /// just before it is multiplied: it never leaves the cache.
    void few() const {
        const Blocks blocks{points, words_, piece_words_, patches_.count()};
        const at::Tensor memory = scratch(inputs_ * blocks.size());
        const auto block_of = [&](std::int64_t number) {
            return words_of(memory) + number % inputs_ * blocks.size();
        };
        const std::int64_t all = inputs_ * blocks.rows;
        at::parallel_for(0, all, 1, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i)
                transform_patch<T, m>(product(i / blocks.rows), patches_.at(i % blocks.rows),
                                      zeros_.data(), blocks, i % blocks.rows,
                                      block_of(i / blocks.rows));
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
        const Blocks blocks{points, words_, piece_words_, rows_of_block()};
        const std::int64_t all = divide_up(patches_.count(), blocks.rows) * inputs_;
        at::parallel_for(0, all, 1, [&](std::int64_t begin, std::int64_t end) {
            const at::Tensor memory = scratch(blocks.size() + sums_size(blocks.rows));
            for (std::int64_t i = begin; i < end; ++i)
                multiply_block(i % inputs_, i / inputs_, blocks, words_of(packed),
                               words_of(memory));
        });
    }

    /// All products of an input. memory: of a block and the sums of a group.
    void multiply_block(std::int64_t input, std::int64_t block, const Blocks& blocks,
                        const Word* packed, Word* memory) const {
        const Span rows = span(block, blocks.rows, patches_.count());
        for (std::int64_t row = 0; row < rows.count; ++row)
            transform_patch<T, m>(product(input), patches_.at(rows.first + row), zeros_.data(),
                                  blocks, row, memory);
        const std::int64_t each = groups() / inputs_;
        for (std::int64_t g = input * each; g < (input + 1) * each; ++g)
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
                write_patch<T, m>(
                    group.product, patches_.at(rows.first + row), (group.first + n) * panel,
                    sums + (n * points * rows.count + row) * panel, rows.count * panel);
    }

    /// One part of the patches for each point, while the last piece is multiplied.
    void prefetch_results(const Group& group, Span rows, int p) const {
        const Span part = span(p, divide_up(rows.count, points), rows.count);
        for (std::int64_t row = 0; row < part.count; ++row)
            prefetch_patch<T, m>(group.product, patches_.at(rows.first + part.first + row),
                                 group.first * panel, group.panels * panel);
    }

    const std::vector<Product<T>>& products_;
    const Patches& patches_;
    std::int64_t inputs_;                      ///< whose patches are transformed
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
    with_size<T>(size_of_patches<T>(small.extent()), [&](auto m) {
        const Patches patches(m, small.batch, small.extent());
        Run<T, m>(products, patches, true).all();
    });
}

// Row r of the small image and the one before it give row r of a phase, of which the even one's
// first is padding. Patches that begin before the small image serve all phases, but those of the
// even ones begin with padding: where that would take more patches they begin one row later, and
// each phase has its own. Columns likewise.
template <class T>
void run_up(Image<const T> small, const T* weight, Image<T> big) {
    const Tiling tiling = tiling_of_up<T>(small.extent());
    std::vector<Product<T>> products;
    for (int phase = 0; phase < phases; ++phase) {
        const std::int64_t row = row_phase(phase), column = column_phase(phase);
        const Factor<T> factor{weight, {small.channels, big.channels}, Direction::up, phase};
        if (tiling.shared)
            products.push_back({small, {{-1, -1, 1}}, factor, big, phase_grid(phase)});
        else
            products.push_back(
                {small, {{-row, -column, 1}}, factor, big, {1 - row, 1 - column, 2}});
    }
    with_size<T>(tiling.m, [&](auto m) {
        const Extent covered = tiling.shared ? small.extent().grown() : small.extent();
        const Patches patches(m, small.batch, covered);
        Run<T, m>(products, patches, tiling.shared).all();
    });
}

using c10::BFloat16;
template void run_down<float>(Image<const float>, const float*, Image<float>);
template void run_down<BFloat16>(Image<const BFloat16>, const BFloat16*, Image<BFloat16>);
template void run_up<float>(Image<const float>, const float*, Image<float>);
template void run_up<BFloat16>(Image<const BFloat16>, const BFloat16*, Image<BFloat16>);

}  // namespace civitas::strided
