#pragma once
/// Where the patches lie in images that stand for m x m results.
#include "image.hpp"
#include "winograd_maps.hpp"

#include <vector>

namespace civitas::strided {
inline namespace CIVITAS_SET {

/// How many times m x m pixels cover so many.
constexpr Extent cut(Extent all, int m) {
    return {divide_up(all.height, m), divide_up(all.width, m)};
}
constexpr std::int64_t patches_of(int m, Extent all) {
    const Extent patches = cut(all, m);
    return patches.height * patches.width;
}

/// Which pixels of a grid are meant: those from (m row, m column) on.
struct Patch {
    std::int64_t image, row, column;
};

/// All patches of m x m of a batch of grids, row by row and image by image. They are listed before
/// they are used: whoever divides numbers of patches while vectors are written waits for both.
class Patches {
public:
    Patches(int m, std::int64_t images, Extent all) {
        const auto [down, across] = cut(all, m);
        patches_.reserve(static_cast<std::size_t>(images * down * across));
        for (std::int64_t image = 0; image < images; ++image)
            for (std::int64_t row = 0; row < down; ++row)
                for (std::int64_t column = 0; column < across; ++column)
                    patches_.push_back({image, row, column});
    }
    [[nodiscard]] std::int64_t count() const { return std::ssize(patches_); }
    [[nodiscard]] const Patch& at(std::int64_t number) const {
        return patches_[static_cast<std::size_t>(number)];
    }

private:
    std::vector<Patch> patches_;
};

/// Finds the side x side pixels of a grid from the first of a patch of m x m on; `outside` stands
/// for those that are not in the image.
template <int m, int side, class T>
void find_pixels(const Image<T>& image, Grid grid, const Patch& patch, T* outside,
                 T* (&pixels)[side * side]) {
    for (int i = 0; i < side; ++i) {
        const std::int64_t y = grid.row + grid.step * (m * patch.row + i);
        const bool row_inside = y >= 0 && y < image.height;
        for (int j = 0; j < side; ++j) {
            const std::int64_t x = grid.column + grid.step * (m * patch.column + j);
            const bool inside = row_inside && x >= 0 && x < image.width;
            pixels[i * side + j] = inside ? image.pixel(patch.image, y, x) : outside;
        }
    }
}

/// Asks for what the patch that is `apart` numbers to the right has and this one has not; rows that
/// the patch above had are there.
template <int m, int side, class T>
[[CIVITAS_VECTORS, gnu::always_inline]] inline void prefetch_right(
    const T* const (&pixels)[side * side], std::int64_t channel, std::int64_t apart) {
#pragma GCC unroll 25
    for (int i = 0; i < side * side; ++i)
        if (i / side >= side - m && i % side >= side - m)
            _mm_prefetch(pixels[i] + channel + apart, _MM_HINT_T0);
}

/// Sixteen channels of a square of pixels, of which those that are `there` are read.
template <int count, class T>
[[CIVITAS_VECTORS, gnu::always_inline]] inline void load_pixels(const T* const (&pixels)[count],
                                                                std::int64_t channel, Mask there,
                                                                Floats (&x)[count]) {
    const std::int64_t first = there == 0 ? 0 : channel;  // behind the end no address is made
#pragma GCC unroll 25
    for (int i = 0; i < count; ++i) x[i] = load(pixels[i] + first, there);
}

/// Maps products, of which p[i * apart] is the i-th.
template <class Map, int from, int to>
[[CIVITAS_VECTORS, gnu::always_inline]] inline void map_products(const float* p, std::int64_t apart,
                                                                 Floats (&y)[to * to]) {
    Floats x[from * from];
#pragma GCC unroll 25
    for (int i = 0; i < from * from; ++i) x[i] = load(p + i * apart);
    map_square<Map, from, to>(x, y);
}

/// Maps a square of each number of sixteen words, and writes sixteen words of each result, `apart`
/// words from each other: column by column, so that few of them wait in registers.
template <class Map, int from, int to, std::size_t per_word>
[[CIVITAS_VECTORS, gnu::always_inline]] inline void map_words(
    const Floats (&x)[per_word][from * from], Word* words, std::int64_t apart) {
    Floats half[per_word][from * to];
    for (std::size_t j = 0; j < per_word; ++j) map_rows<Map, from, to>(x[j], half[j]);
#pragma GCC unroll 5
    for (int column = 0; column < to; ++column) {
        Floats y[per_word][to];
        for (std::size_t j = 0; j < per_word; ++j)
            map_line<Map, from, to, to, 1>(half[j] + column, y[j]);
#pragma GCC unroll 5
        for (int row = 0; row < to; ++row) {
            Floats numbers[per_word];
            for (std::size_t j = 0; j < per_word; ++j) numbers[j] = y[j][row];
            store_words(words + (row * to + column) * apart, words_of_numbers(numbers));
        }
    }
}

}  // namespace CIVITAS_SET
}  // namespace civitas::strided
