#pragma once
/// Contact sheets of tiles in map colours.
#include "civitas/io/picture.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace civitas::report {

/// Soft channels of one plan, values in [-1, 1]: building, road, other (or one grey channel).
struct SoftImage {
    std::int64_t pixels = 0;
    int channels = 3;
    std::vector<float> values_CHW;
};

/// Images side by side, `columns` a row, each enlarged to at least `tile_pixels` a side; colours
/// blend between building (dark red-brown), road (light grey) and other (pale green).
[[nodiscard]] io::Picture sheet_of_soft(std::span<const SoftImage> images, int columns,
                                        int tile_pixels);
/// Tiles of classes (0 other, 1 road, 2 building), `pixels` a side, in the colours and order of
/// sheet_of_soft(): side by side, `columns` a row, each enlarged to at least `tile_pixels`.
[[nodiscard]] io::Picture sheet_of_classes(std::span<const std::uint8_t> classes,
                                           std::int64_t pixels, int columns, int tile_pixels);
/// Tiles of classes that lie side by side in the world, `columns` a row, in the same colours: with
/// nothing between them, a pixel each.
[[nodiscard]] io::Picture map_of_classes(std::span<const std::uint8_t> classes, std::int64_t pixels,
                                         int columns);

/// Images of bytes red, green, blue, `pixels` a side, laid out as sheet_of_classes() lays tiles.
[[nodiscard]] io::Picture sheet_of_images(std::span<const std::uint8_t> rgb, std::int64_t pixels,
                                          int columns, int tile_pixels);

}  // namespace civitas::report
