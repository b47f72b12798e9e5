#pragma once
/// Images, and the phases of a big one.
#include <cstdint>

namespace civitas::strided {

constexpr int phases = 4;  ///< of a big image
constexpr int kernel = 4;  ///< its side

/// A place of the 4 x 4 kernel.
struct KernelTap {
    std::int64_t row, column;
};

/// Pixels along both dimensions.
struct Extent {
    std::int64_t height, width;
    /// One more of each.
    [[nodiscard]] constexpr Extent grown() const { return {height + 1, width + 1}; }
};

/// A channels-last image of T.
template <class T>
struct Image {
    T* data;
    std::int64_t batch, height, width, channels;
    [[nodiscard]] Extent extent() const { return {height, width}; }
    [[nodiscard]] T* pixel(std::int64_t b, std::int64_t y, std::int64_t x) const {
        return data + ((b * height + y) * width + x) * channels;
    }
};

/// Some of things in a row.
struct Range {
    std::int64_t begin, end;
    [[nodiscard]] constexpr std::int64_t size() const { return end - begin; }
    friend constexpr bool operator==(const Range&, const Range&) = default;
};

/// Every step-th row and column of an image from a first one on, which may lie outside.
struct Grid {
    std::int64_t row, column, step;
};

/// The two phases of one dimension in both: rows of phase p / 2, columns of phase p % 2.
constexpr std::int64_t row_phase(int phase) { return phase / 2; }
constexpr std::int64_t column_phase(int phase) { return phase % 2; }

/// A phase of a big image, whose padding is the first row and column of the even ones.
constexpr Grid phase_grid(int phase) { return {row_phase(phase) - 1, column_phase(phase) - 1, 2}; }

}  // namespace civitas::strided
