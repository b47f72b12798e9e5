#pragma once
/// Rows of images as tiles read them: copied, with zeros around, so that what neighbouring results
/// of a row read at one place of their windows lies equally far apart.
#include "image.hpp"
#include "simd.hpp"

#include "civitas/simd/tile_product.hpp"

namespace civitas::strided {

using simd::rows_of_tile;

/// What a result reads along a dimension: `span` pixels, the first one left of `step` times the
/// result's own number.
struct Window {
    std::int64_t step, span;
};
constexpr Window window_of_down{2, 4}, window_of_up{1, 3};

/// Rows of results of some images, from the first of both on.
struct Strip {
    std::int64_t image, row;
};

/// A result of a row of a strip: which one of its images, and its column.
struct Result {
    std::int64_t image, column;
};

/// A pixel of a copy: its parts in bf16, one after the other, each in so many words.
struct PixelWords {
    std::int64_t parts, of_part;
    [[nodiscard]] constexpr std::int64_t all() const { return parts * of_part; }
};

/// Where pixels lie in the copy of a strip: a plane for each parity of rows and columns where
/// windows move by two. Of images narrower than a tile several lie pixel by pixel beside each
/// other, so that results of one row of theirs fill it.
class StripLayout {
public:
    /// Images that lie beside each other.
    static constexpr std::int64_t images_for(std::int64_t width) {
        return divide_up(rows_of_tile, width);
    }

    /// results: rows of a strip, columns of an image; words of a pixel: of each of its parts.
    StripLayout(Window window, Extent results, PixelWords pixel);

    [[nodiscard]] std::int64_t images() const { return images_; }
    [[nodiscard]] std::int64_t rows() const { return results_.height; }
    /// Words from a result of a tile to the next.
    [[nodiscard]] std::int64_t apart() const { return pixel_; }
    /// Words from part to part of a pixel.
    [[nodiscard]] std::int64_t part() const { return words_.of_part; }
    /// Words of a copy.
    [[nodiscard]] std::int64_t size() const { return planes() * plane_; }
    /// Words that tiles may read behind the last copy.
    [[nodiscard]] std::int64_t beyond() const { return rows_of_tile * pixel_; }

    [[nodiscard]] std::int64_t tiles_of_row() const {
        return divide_up(images_ * results_.width, rows_of_tile);
    }
    /// Where a tile begins, from the begin of the copy on.
    [[nodiscard]] std::int64_t tile(std::int64_t row, std::int64_t number) const {
        return row * row_ + number * rows_of_tile * pixel_;
    }
    /// From a result's first pixel to another one of its window.
    [[nodiscard]] std::int64_t tap(std::int64_t dy, std::int64_t dx) const;
    /// The i-th result of a row, whose tiles have more at their end where there are no columns.
    [[nodiscard]] Result result(std::int64_t i) const { return {i % images_, i / images_}; }

    /// to: `size()` words.
    template <class T>
    void copy(const Image<const T>& image, Strip strip, Word* to) const;

private:
    [[nodiscard]] std::int64_t planes() const { return window_.step * window_.step; }

    template <class T>
    void copy_row(const Image<const T>& image, std::int64_t number, std::int64_t y, Word* to) const;

    Window window_;
    Extent results_;
    std::int64_t reach_;  ///< rows and columns of a plane beyond those of results
    std::int64_t images_;
    PixelWords words_;
    std::int64_t pixel_;  ///< words from pixel to pixel of a plane's row
    std::int64_t row_;    ///< words
    std::int64_t plane_;  ///< words
};

}  // namespace civitas::strided
