#pragma once
/// What figures of plans are computed from: the class of every pixel, and how large a pixel is.
#include "civitas/quality/evaluation.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace civitas::quality {

/// The class of a pixel, as tile stores number them.
enum class Cover : std::uint8_t { other = 0, road = 1, building = 2 };

/// A square tile of classes, row by row.
struct ClassMap {
    std::int64_t pixels = 0;    ///< of a side
    double pixel_metres = 1;    ///< side of a pixel on the ground
    std::vector<Cover> covers;  ///< pixels x pixels

    [[nodiscard]] Cover at(std::int64_t x, std::int64_t y) const {
        return covers[static_cast<std::size_t>(y * pixels + x)];
    }
    [[nodiscard]] double hectares() const {
        const double side = static_cast<double>(pixels) * pixel_metres;
        return side * side / 10'000;
    }
};

/// Tiles as images of three channels, building, road and other, each -1 or 1. Precondition: all are
/// of one size.
[[nodiscard]] ImageSet one_hot(std::span<const ClassMap> maps);

}  // namespace civitas::quality
