// `down` and `up`: patches and weights are transformed, multiplied while they lie in a cache, and
// the products written as images.
#include "dynamic_items.hpp"
#include "scratch.hpp"
#include "winograd_blocks.hpp"
#include "winograd_tiling.hpp"

#include <ATen/Parallel.h>
#include <algorithm>
#include <type_traits>

namespace civitas::strided {
inline namespace CIVITAS_SET {
namespace {

/// The number-th `size` of `all` things; the last may be fewer.
Range part_of(std::int64_t number, std::int64_t size, std::int64_t all) {
    const std::int64_t begin = std::min(number * size, all);
    return {begin, std::min(begin + size, all)};
}

/// All products of `down` or `up`, which have one shape. Weights are packed in pieces, some words
/// of a panel: few enough to be read soon after they were written, and many, since sums are moved
/// once a piece. Where products are `shared`, they read the same patches, which are transformed
/// once for all of them.
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
          zeros_(static_cast<std::size_t>(products.front().in.channels)) {}

    void all() const {
        if (few_)
            few();
        else
            many();
    }

private:
    static constexpr int points = points_of(m);
    static constexpr std::int64_t few_patches = 256, most_words = 512;

    /// At most as many patches as lie in a cache together with what they are multiplied by, so many
    /// that threads which have as many blocks have as much to do.
    [[nodiscard]] std::int64_t rows_of_block() const {
        constexpr std::int64_t kilobyte = 1024 / sizeof(Word);
        // Where rows are asked for ahead, reading weights again and again costs more.
        constexpr std::int64_t fewest = std::is_same_v<simd::CompiledFor, simd::Avx2> ? 56 : 28;
        const std::int64_t most =
            std::clamp(450 * kilobyte / (points * words_), fewest, std::int64_t{112});
        const std::int64_t blocks =
            round_up(divide_up(patches_.count(), most), at::get_num_threads());
        return divide_up(patches_.count(), blocks);
    }

    [[nodiscard]] const Product<T>& product(std::int64_t number) const {
        return products_[static_cast<std::size_t>(number)];
    }
    /// Of all products.
    [[nodiscard]] std::int64_t panels() const { return std::ssize(products_) * panels_; }
    /// The one that has the number-th of all panels.
    [[nodiscard]] const Product<T>& product_of(std::int64_t number) const {
        return product(number / panels_);
    }

    [[nodiscard]] std::int64_t pieces() const { return divide_up(words_, piece_words_); }
    [[nodiscard]] std::int64_t point_size() const { return row_stride(piece_words_ * panel); }
    [[nodiscard]] std::int64_t piece_size() const { return points * point_size(); }
    [[nodiscard]] static std::int64_t sums_size(std::int64_t rows) { return points * rows * panel; }
    void pack_piece(std::int64_t number, std::int64_t piece, Word* to) const {
        pack<T, m>(product_of(number).weights,
                   {number % panels_, part_of(piece, piece_words_, words_)}, to, point_size());
    }

    /// All patches are transformed first. Then each thread takes panels, and packs a piece just
    /// before it is multiplied.
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
        parallel_dynamic(panels(), [&](auto next) {
            const at::Tensor packed = scratch(piece_size()), sums = scratch(sums_size(blocks.rows));
            while (const auto n = next())
                multiply_panel(
                    *n, {0, blocks.rows}, blocks, block_of(*n / panels_),
                    [&](std::int64_t piece) {
                        pack_piece(*n, piece, words_of(packed));
                        return words_of(packed);
                    },
                    sums.mutable_data_ptr<float>());
        });
    }

    /// All weights are packed first. Then each thread takes blocks of patches.
    void many() const {
        const at::Tensor packed = scratch(panels() * piece_size());
        parallel_dynamic(panels(), [&](auto next) {
            while (const auto n = next()) pack_piece(*n, 0, words_of(packed) + *n * piece_size());
        });
        const Blocks blocks{points, words_, piece_words_, rows_of_block()};
        const std::int64_t all = divide_up(patches_.count(), blocks.rows) * inputs_;
        parallel_dynamic(all, [&](auto next) {
            const at::Tensor memory = scratch(blocks.size() + sums_size(blocks.rows));
            while (const auto i = next())
                multiply_block(*i % inputs_, *i / inputs_, blocks, words_of(packed),
                               words_of(memory));
        });
    }

    /// All products of an input. memory: of a block and the sums of a panel.
    void multiply_block(std::int64_t input, std::int64_t block, const Blocks& blocks,
                        const Word* packed, Word* memory) const {
        const Range rows = part_of(block, blocks.rows, patches_.count());
        for (std::int64_t row = 0; row < rows.size(); ++row)
            transform_patch<T, m>(product(input), patches_.at(rows.begin + row), zeros_.data(),
                                  blocks, row, memory);
        const std::int64_t each = panels() / inputs_;
        for (std::int64_t n = input * each; n < (input + 1) * each; ++n)
            multiply_panel(
                n, rows, blocks, memory,
                [&](std::int64_t /*piece*/) { return packed + n * piece_size(); },
                reinterpret_cast<float*>(memory + blocks.size()));
    }

    /// piece_at(number): packed words of the panel.
    template <class PieceAt>
    void multiply_panel(std::int64_t number, Range rows, const Blocks& blocks, const Word* patches,
                        PieceAt piece_at, float* sums) const {
        const std::int64_t channel = number % panels_ * panel;
        for (std::int64_t piece = 0; piece < pieces(); ++piece) {
            const std::int64_t words = part_of(piece, piece_words_, words_).size();
            const Word* const weights = piece_at(piece);
            const Word* const from = patches + piece * blocks.chunk_size();
            for (int p = 0; p < points; ++p)
                multiply<T>(rows.size(), {from + p * blocks.point_size(), blocks.stride(), 1},
                            weights + p * point_size(), words, sums + p * rows.size() * panel,
                            piece == 0 ? Sum::begins : Sum::goes_on);
        }
        for (std::int64_t row = 0; row < rows.size(); ++row)
            write_patch<T, m>(product_of(number), patches_.at(rows.begin + row), channel,
                              sums + row * panel, rows.size() * panel);
    }

    const std::vector<Product<T>>& products_;
    const Patches& patches_;
    std::int64_t inputs_;          ///< whose patches are transformed
    bool few_;                     ///< patches: packed weights would be read seldom
    std::int64_t words_, panels_;  ///< of the weights of a product
    std::int64_t piece_words_;     ///< of a piece; all where patches are many
    std::vector<T> zeros_;
};

}  // namespace

template <class T>
void run_down(Image<const T> big, const T* weight, Image<T> small) {
    std::vector<Grid> from;
    for (int phase = 0; phase < phases; ++phase) from.push_back(phase_grid(phase));
    const Factor<T> factor{weight, {small.channels, big.channels}, Direction::down, 0};
    const std::vector<Product<T>> products{{big, from, factor, small, {0, 0, 1}}};
    with_size(size_of_patches(small.extent()), [&](auto m) {
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
    const int size = size_of_patches_up<T>(small.extent());
    const bool shared = shares_patches(size, small.extent());
    std::vector<Product<T>> products;
    for (int phase = 0; phase < phases; ++phase) {
        const std::int64_t row = row_phase(phase), column = column_phase(phase);
        const Factor<T> factor{weight, {small.channels, big.channels}, Direction::up, phase};
        if (shared)
            products.push_back({small, {{-1, -1, 1}}, factor, big, phase_grid(phase)});
        else
            products.push_back(
                {small, {{-row, -column, 1}}, factor, big, {1 - row, 1 - column, 2}});
    }
    with_size(size, [&](auto m) {
        const Extent covered = shared ? small.extent().grown() : small.extent();
        const Patches patches(m, small.batch, covered);
        Run<T, m>(products, patches, shared).all();
    });
}

using c10::BFloat16;
template void run_down<float>(Image<const float>, const float*, Image<float>);
template void run_down<BFloat16>(Image<const BFloat16>, const BFloat16*, Image<BFloat16>);
template void run_up<float>(Image<const float>, const float*, Image<float>);
template void run_up<BFloat16>(Image<const BFloat16>, const BFloat16*, Image<BFloat16>);

}  // namespace CIVITAS_SET
}  // namespace civitas::strided
