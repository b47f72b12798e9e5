#pragma once
/// What is computed around the products of Winograd's filtering, in steps that each compute many
/// independent squares of numbers: see civitas/gpu/winograd.hpp. Compiled for a GPU by nvcc, and
/// for a CPU by the tests. All images are channels-last.
#include "winograd_maps.hpp"

#include <cstdint>

namespace civitas::gpu::winograd {

constexpr int phases = 4;  ///< of a big image: rows of phase p / 2, columns of phase p % 2
constexpr int kernel = 4;  ///< its side

/// Every step-th row and column of an image, of as many groups as phases or of one. Where they
/// begin, maybe outside, is the same for rows and columns: with `even` for those of phase 0.
struct Grid {
    int even = 0, odd = 0, step = 1, groups = 1;

    [[nodiscard]] C10_HOST_DEVICE int row(int group) const { return group / 2 == 0 ? even : odd; }
    [[nodiscard]] C10_HOST_DEVICE int column(int group) const {
        return group % 2 == 0 ? even : odd;
    }
};

/// Patches of m x m along both dimensions, of every image of a batch.
struct PatchCounts {
    int images = 0, down = 0, across = 0;
    [[nodiscard]] C10_HOST_DEVICE int all() const { return images * down * across; }
};

/// Two channels that are neighbours, and computed alike.
struct alignas(8) [[gnu::may_alias]] Two {
    float first = 0, second = 0;

    C10_HOST_DEVICE Two& operator+=(const Two& other) {
        first += other.first;
        second += other.second;
        return *this;
    }
    friend C10_HOST_DEVICE Two operator*(float factor, const Two& two) {
        return {factor * two.first, factor * two.second};
    }
};

/// Images of T, which is of one channel or two, and the grid of them that patches are cut from.
template <class T>
struct CutImages {
    T* first = nullptr;
    int height = 0, width = 0, channels = 0;
    Grid grid;
    PatchCounts patches;

    /// Squares of numbers: one for each patch, group and channel.
    [[nodiscard]] C10_HOST_DEVICE std::int64_t squares() const {
        return std::int64_t{patches.all()} * grid.groups * channels;
    }
};

/// Elements from a point, patch or group to the next; channels are neighbours.
struct PointStrides {
    std::int64_t point = 0, patch = 0, group = 0;
};

/// Which square is meant, of those that a step computes: channels are counted first, then groups.
struct Square {
    int channel, group, patch, image, row, column;

    template <class T>
    C10_HOST_DEVICE Square(const CutImages<T>& cut, std::int64_t number) {
        auto left = static_cast<std::uint32_t>(number);
        const auto next = [&left](int count) {
            const std::uint32_t n = static_cast<std::uint32_t>(count), rest = left % n;
            left /= n;
            return static_cast<int>(rest);
        };
        channel = next(cut.channels);
        group = next(cut.grid.groups);
        patch = static_cast<int>(left);
        column = next(cut.patches.across);
        row = next(cut.patches.down);
        image = static_cast<int>(left);
    }

    [[nodiscard]] C10_HOST_DEVICE std::int64_t place(const PointStrides& s) const {
        return patch * s.patch + group * s.group + channel;
    }
};

/// Where a pixel of a patch lies, if in the image.
template <class T>
C10_HOST_DEVICE T* pixel(const CutImages<T>& cut, const Square& square, int size, int i, int j) {
    const int y = cut.grid.row(square.group) + cut.grid.step * (size * square.row + i);
    const int x = cut.grid.column(square.group) + cut.grid.step * (size * square.column + j);
    if (y < 0 || y >= cut.height || x < 0 || x >= cut.width) return nullptr;
    const std::int64_t at = (std::int64_t{square.image} * cut.height + y) * cut.width + x;
    return cut.first + at * cut.channels + square.channel;
}

/// Maps the pixels of each patch, zero outside of the image.
template <class Map, class T>
struct MappedPatches {
    CutImages<const T> from;
    T* points;
    PointStrides to;

    C10_HOST_DEVICE void operator()(std::int64_t number) const {
        const Square square(from, number);
        T x[Map::from * Map::from], y[Map::to * Map::to];
        unrolled<Map::from * Map::from>([&](auto i) {
            const T* const p =
                pixel(from, square, Map::size, i.value / Map::from, i.value % Map::from);
            x[i.value] = p == nullptr ? T{} : *p;
        });
        map_square<Map>(x, y);
        T* const place = points + square.place(to);
        unrolled<Map::to * Map::to>([&](auto i) { place[i.value * to.point] = y[i.value]; });
    }
};

/// Products, as sums over `parts` of what products sum over.
template <class T>
struct PartialProducts {
    const T* first = nullptr;
    int parts = 1;
    std::int64_t part = 0;   ///< elements from one part to the next
    std::int64_t point = 0;  ///< and from one point

    /// Those of all points of a square that begins at `place`.
    template <int points>
    C10_HOST_DEVICE void add_up(std::int64_t place, T (&x)[points]) const {
        unrolled<points>([&](auto i) { x[i.value] = first[place + i.value * point]; });
        for (int more = 1; more < parts; ++more) {
            place += part;
            unrolled<points>([&](auto i) { x[i.value] += first[place + i.value * point]; });
        }
    }
};

/// The m x m results of each patch, from its products; those outside of the image are left out.
template <int m, class T>
struct ResultPixels {
    using Map = OfProducts<m>;
    PartialProducts<T> products;
    PointStrides from;
    CutImages<T> to;

    C10_HOST_DEVICE void operator()(std::int64_t number) const {
        const Square square(to, number);
        T x[points_of<m>], y[m * m];
        products.add_up(square.place(from), x);
        map_square<Map>(x, y);
        unrolled<m * m>([&](auto i) {
            T* const p = pixel(to, square, m, i.value / m, i.value % m);
            if (p != nullptr) *p = y[i.value];
        });
    }
};

/// Channels of the weights (small, big, 4, 4), channels-last.
struct WeightSizes {
    int small = 0, big = 0;
    [[nodiscard]] C10_HOST_DEVICE std::int64_t squares() const {
        return std::int64_t{small} * phases * big;
    }
};

/// A phase's 2x2 weights of two channels: those of the big one are counted first, then phases.
struct WeightSquare {
    int big, phase, small;

    C10_HOST_DEVICE WeightSquare(const WeightSizes& sizes, std::int64_t number) {
        const auto n = static_cast<std::uint32_t>(number);
        const auto channels = static_cast<std::uint32_t>(sizes.big);
        big = static_cast<int>(n % channels);
        phase = static_cast<int>(n / channels % phases);
        small = static_cast<int>(n / channels / phases);
    }

    /// Where tap (i, j) lies: rows p and p + 2 of the kernel in turn.
    [[nodiscard]] C10_HOST_DEVICE std::int64_t tap(const WeightSizes& sizes, int i, int j) const {
        const int row = phase / 2 + 2 * i, column = phase % 2 + 2 * j;
        return ((std::int64_t{small} * kernel + row) * kernel + column) * sizes.big + big;
    }
};

/// Maps each phase's weights, `flipped` along both dimensions for the transpose.
template <int m>
struct MappedWeights {
    using Map = OfFilter<m>;
    WeightSizes sizes;
    bool flipped;
    const float* weights;
    float* points;
    PointStrides to;  ///< patch: of channels of the small image; group: of phases

    C10_HOST_DEVICE void operator()(std::int64_t number) const {
        const WeightSquare square(sizes, number);
        float x[4], y[points_of<m>];
        unrolled<4>([&](auto i) {
            const int tap = flipped ? 3 - i.value : i.value;
            x[i.value] = weights[square.tap(sizes, tap / 2, tap % 2)];
        });
        map_square<Map>(x, y);
        float* const place = points + square.small * to.patch + square.phase * to.group;
        unrolled<points_of<m>>(
            [&](auto i) { place[i.value * to.point + square.big] = y[i.value]; });
    }
};

/// The gradient of the weights, from products (points, small, phases, big).
template <int m>
struct GradientOfWeights {
    using Map = OfGradientProducts<m>;
    WeightSizes sizes;
    PartialProducts<float> products;
    float* gradient;

    C10_HOST_DEVICE void operator()(std::int64_t number) const {
        const WeightSquare square(sizes, number);
        float x[points_of<m>], y[4];
        products.add_up(number, x);
        map_square<Map>(x, y);
        unrolled<4>(
            [&](auto i) { gradient[square.tap(sizes, i.value / 2, i.value % 2)] = y[i.value]; });
    }
};

}  // namespace civitas::gpu::winograd
