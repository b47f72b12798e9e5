#pragma once
/// Patches of images as rows of matrices, and products as patches of images.
#include "winograd_patch.hpp"
#include "winograd_weights.hpp"

#include <vector>

namespace civitas::strided {
inline namespace CIVITAS_SET {

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
/// lies a matrix for each point.
struct Blocks {
    std::int64_t points;              ///< of a patch
    std::int64_t words, chunk_words;  ///< of a row
    std::int64_t rows;

    [[nodiscard]] std::int64_t chunks() const { return divide_up(words, chunk_words); }
    /// From row to row.
    [[nodiscard]] std::int64_t stride() const { return row_stride(chunk_words); }
    [[nodiscard]] std::int64_t point_size() const { return rows * stride(); }
    [[nodiscard]] std::int64_t chunk_size() const { return points * point_size(); }
    [[nodiscard]] std::int64_t size() const { return chunks() * chunk_size(); }
    /// Where a word of a row lies, at the first point.
    [[nodiscard]] std::int64_t place(std::int64_t row, std::int64_t word) const {
        return word / chunk_words * chunk_size() + row * stride() + word % chunk_words;
    }
};

/// Writes row `row` of blocks: a patch of m x m and what is around it, all channels of all grids.
template <class T, int m>
[[CIVITAS_VECTORS]] void transform_patch(const Product<T>& product, const Patch& patch,
                                         const T* zeros, const Blocks& blocks, std::int64_t row,
                                         Word* to) {
    constexpr int side = side_of(m);
    constexpr std::int64_t step = lanes / numbers_per_word<T>;
    const std::int64_t point_size = blocks.point_size();
    std::int64_t first = 0;
    for (const Grid& grid : product.from) {
        const T* pixels[side * side];
        find_pixels<m, side>(product.in, grid, patch, zeros, pixels);
        const std::int64_t words = row_words<T>(product.in.channels);
        const std::int64_t right = m * grid.step * product.in.channels;
        for (std::int64_t word = 0; word < words; word += step) {
            const std::int64_t channel = word * numbers_per_word<T>;
            const Mask there = lanes_from(channel, product.in.channels);
            prefetch_right<m, side>(pixels, channel, right);
            Floats d[side * side], t[side * side];
            load_pixels(pixels, channel, there, d);
            map_square<DataMap, side, side>(d, t);
            Word* const place = to + blocks.place(row, first + word);
#pragma GCC unroll 25
            for (int p = 0; p < side * side; ++p) store_row(place + p * point_size, t[p], T());
        }
        first += words;
    }
}

/// Writes a panel of channels of a patch of m x m results, whose products are `apart` from each
/// other.
template <class T, int m>
[[CIVITAS_VECTORS]] void write_patch(const Product<T>& product, const Patch& patch,
                                     std::int64_t channel, const float* products,
                                     std::int64_t apart) {
    T* pixels[m * m];
    find_pixels<m, m>(product.out, product.to, patch, static_cast<T*>(nullptr), pixels);
    for (std::int64_t half = 0; half < panel; half += lanes) {
        const Mask there = lanes_from(channel + half, product.out.channels);
        if (there == 0) return;
        Floats y[m * m];
        map_products<ResultMap, side_of(m), m>(products + half, apart, y);
#pragma GCC unroll 16
        for (int i = 0; i < m * m; ++i)
            if (pixels[i] != nullptr) store(pixels[i] + channel + half, there, y[i]);
    }
}

}  // namespace CIVITAS_SET
}  // namespace civitas::strided
