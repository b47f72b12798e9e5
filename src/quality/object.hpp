#pragma once
/// One object of pixels, such as a building, and its sizes.
#include "civitas/quality/mask.hpp"

#include <span>

namespace civitas::quality {

/// The object alone, in the smallest square that holds it, at its north-west corner. Precondition:
/// there is a pixel.
[[nodiscard]] Mask mask_of(std::span<const Pixel> object);

/// In pixels.
struct ObjectSizes {
    double perimeter = 0;  ///< Crofton's formula in four directions
    std::int64_t holes = 0;
};

/// Holes are what a component of pixels that share sides encloses, and does not touch the tile's
/// border; their number is 1 less Euler's, counted by quads of pixels (Gray 1971). The perimeter is
/// Crofton's (Legland, Kieu and Devaux 2007), which turned objects keep, by the same quads.
/// Precondition: a component, pixels that share sides.
[[nodiscard]] ObjectSizes sizes_of(std::span<const Pixel> object);

}  // namespace civitas::quality
