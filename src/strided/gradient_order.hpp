#pragma once
/// The order in which gradients of weights are summed over pixels of small images.
#include "image.hpp"
#include "simd.hpp"

#include "civitas/simd/tile_product.hpp"

#include <vector>

namespace civitas::strided {

/// Which row of which image; the one behind the last row of an image is none.
struct ImageRow {
    std::int64_t image, row;
};

/// Rows of all images in turn, each image with a row of none behind it, are cut into groups of as
/// many. A word has pixels of one column of two rows, which are equally far behind the first of
/// their groups. Of rows that are narrower than a tile those of several pairs of groups lie
/// pixel by pixel beside each other. So the pixels that a tap meets lie equally far apart, and so
/// do those that it meets one row or column later.
class GradientOrder {
public:
    GradientOrder(std::int64_t batch, Extent small)
        : batch_(batch),
          small_(small),
          pairs_(divide_up(simd::rows_of_tile, small.width)),
          rows_(divide_up(batch * (small.height + 1), 2 * pairs_)) {
        // They are listed before they are used, since divisions take as long as what is done with
        // a pixel. Groups are followed by a row more.
        listed_.reserve(static_cast<std::size_t>(2 * pairs_ * rows_ + 1));
        for (std::int64_t number = 0; number <= 2 * pairs_ * rows_; ++number)
            listed_.push_back({number / (small.height + 1), number % (small.height + 1)});
    }

    /// Of a group.
    [[nodiscard]] std::int64_t rows() const { return rows_; }
    /// Of groups: as many words have pixels of a column.
    [[nodiscard]] std::int64_t pairs() const { return pairs_; }
    /// Words of a row of all groups, whole tiles.
    [[nodiscard]] std::int64_t words() const { return round_up(small_.width * pairs_, lanes); }
    /// The group, in [0, 2 pairs()), whose row so far behind its first one is meant.
    [[nodiscard]] ImageRow at(std::int64_t group, std::int64_t row) const {
        return listed_[static_cast<std::size_t>(group * rows_ + row)];
    }
    /// Whether any group has a row of an image there.
    [[nodiscard]] bool has_pixels(std::int64_t row) const {
        for (std::int64_t group = 0; group < 2 * pairs_; ++group) {
            const ImageRow found = at(group, row);
            if (found.image < batch_ && found.row < small_.height) return true;
        }
        return false;
    }

private:
    std::int64_t batch_;
    Extent small_;
    std::int64_t pairs_, rows_;
    std::vector<ImageRow> listed_;
};

}  // namespace civitas::strided
