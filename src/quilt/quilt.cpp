#include "civitas/quilt/quilt.hpp"

#include "boundary_cut.hpp"
#include "fitting.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>

namespace civitas::quilt {
namespace {

/// Lays patches on ground that is as large as all of them.
class Ground {
public:
    Ground(const Images& images, const Layout& layout)
        : images_(images),
          layout_(layout),
          height_(layout.patches().rows * layout.step() + layout.overlap),
          width_(layout.patches().columns * layout.step() + layout.overlap),
          values_(static_cast<std::size_t>(images.channels * height_ * width_)) {}

    /// What a patch of a column and a row has to fit.
    [[nodiscard]] Target target_of(std::int64_t column, std::int64_t row) const {
        Target target;
        const std::int64_t side = layout_.side, overlap = layout_.overlap;
        for (std::int64_t pixel = 0; pixel < side * side; ++pixel) {
            const bool above = row > 0 && pixel / side < overlap;
            const bool before = column > 0 && pixel % side < overlap;
            if (above || before) target.pixels.push_back(pixel);
        }
        for (std::int64_t c = 0; c < images_.channels; ++c)
            for (const std::int64_t pixel : target.pixels)
                target.values.push_back(
                    values_[place(c, {column, row}, pixel / side, pixel % side)]);
        return target;
    }

    void lay(const Choice& choice, std::int64_t column, std::int64_t row) {
        const std::int64_t side = layout_.side;
        const GridSize at{column, row};
        // The first of each row, and of each column, that the new patch covers.
        std::vector<std::int64_t> from_x(static_cast<std::size_t>(side)), from_y = from_x;
        if (column > 0) from_x = boundary_cut(error_of(choice, at, false));
        if (row > 0) from_y = boundary_cut(error_of(choice, at, true));
        for (std::int64_t c = 0; c < images_.channels; ++c)
            for (std::int64_t y = 0; y < side; ++y)
                for (std::int64_t x = 0; x < side; ++x)
                    if (x >= from_x[static_cast<std::size_t>(y)] &&
                        y >= from_y[static_cast<std::size_t>(x)])
                        values_[place(c, at, y, x)] = value_of(choice, c, y, x);
    }

    /// The tiles, without what reaches beyond them.
    [[nodiscard]] Picture picture() const {
        Picture picture{images_.channels,
                        layout_.tiles.rows * layout_.side,
                        layout_.tiles.columns * layout_.side,
                        {}};
        for (std::int64_t c = 0; c < picture.channels; ++c)
            for (std::int64_t y = 0; y < picture.height; ++y) {
                const auto line = values_.begin() + (c * height_ + y) * width_;
                picture.values_CHW.insert(picture.values_CHW.end(), line, line + picture.width);
            }
        return picture;
    }

private:
    [[nodiscard]] std::size_t place(std::int64_t channel, GridSize patch, std::int64_t y,
                                    std::int64_t x) const {
        return static_cast<std::size_t>((channel * height_ + patch.rows * layout_.step() + y) *
                                            width_ +
                                        patch.columns * layout_.step() + x);
    }
    [[nodiscard]] std::uint8_t value_of(const Choice& choice, std::int64_t channel, std::int64_t y,
                                        std::int64_t x) const {
        const std::int64_t side = layout_.side;
        return images_.values_BCHW[static_cast<std::size_t>(
            (choice.image * images_.channels + channel) * side * side +
            cell_at(y, x, side, choice.symmetry))];
    }
    /// Squared differences where a patch overlaps the one before it, or the one above.
    [[nodiscard]] OverlapError error_of(const Choice& choice, GridSize at, bool above) const {
        OverlapError error{layout_.side, layout_.overlap, {}};
        for (std::int64_t along = 0; along < error.length; ++along)
            for (std::int64_t across = 0; across < error.width; ++across) {
                const std::int64_t y = above ? across : along, x = above ? along : across;
                std::int64_t sum = 0;
                for (std::int64_t c = 0; c < images_.channels; ++c) {
                    const std::int64_t difference =
                        std::int64_t{value_of(choice, c, y, x)} - values_[place(c, at, y, x)];
                    sum += difference * difference;
                }
                error.cells.push_back(sum);
            }
        return error;
    }

    const Images& images_;
    const Layout& layout_;
    std::int64_t height_, width_;
    std::vector<std::uint8_t> values_;
};

}  // namespace

GridSize Layout::patches() const noexcept {
    const auto along = [this](std::int64_t count) {
        return std::max<std::int64_t>(1, (count * side - overlap + step() - 1) / step());
    };
    return {along(tiles.columns), along(tiles.rows)};
}

Quilt quilt(const Images& images, const Layout& layout, const Advance& advance) {
    const GridSize patches = layout.patches();
    ensure(images.count >= patches.count() && images.side == layout.side && layout.overlap > 0 &&
               2 * layout.overlap <= layout.side,
           "there are enough images as large as patches");
    Ground ground(images, layout);
    Fitting fitting(images);
    Quilt quilt;
    double error = 0, values = 0;
    for (std::int64_t row = 0; row < patches.rows; ++row)
        for (std::int64_t column = 0; column < patches.columns; ++column) {
            const Target target = ground.target_of(column, row);
            const Choice choice =
                target.pixels.empty() ? fitting.take_first() : fitting.take(target);
            ground.lay(choice, column, row);
            quilt.images.push_back(choice.image);
            error += static_cast<double>(choice.error);
            values += static_cast<double>(target.values.size());
            advance();
        }
    quilt.overlap_error = values > 0 ? error / values : 0;
    quilt.picture = ground.picture();
    return quilt;
}

}  // namespace civitas::quilt
