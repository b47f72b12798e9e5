#pragma once
/// What figures of plans are computed from: the class of every pixel, and how large a pixel is.
#include "civitas/base/land_class.hpp"
#include "civitas/quality/evaluation.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace civitas::quality {

/// A square tile of classes, row by row.
struct ClassMap {
    std::int64_t pixels = 0;         ///< of a side
    double pixel_metres = 1;         ///< side of a pixel on the ground
    std::vector<LandClass> classes;  ///< pixels x pixels

    [[nodiscard]] LandClass at(std::int64_t x, std::int64_t y) const {
        return classes[static_cast<std::size_t>(y * pixels + x)];
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
