#pragma once
/// Pixels around a pixel.
#include "civitas/quality/mask.hpp"

#include <array>

namespace civitas::quality {

/// Those that share a side.
[[nodiscard]] constexpr std::array<Pixel, 4> four_neighbours(Pixel p) {
    return {{{p.x, p.y - 1}, {p.x + 1, p.y}, {p.x, p.y + 1}, {p.x - 1, p.y}}};
}

/// Those that share a side or a corner, clockwise from the north.
[[nodiscard]] constexpr std::array<Pixel, 8> eight_neighbours(Pixel p) {
    return {{{p.x, p.y - 1},
             {p.x + 1, p.y - 1},
             {p.x + 1, p.y},
             {p.x + 1, p.y + 1},
             {p.x, p.y + 1},
             {p.x - 1, p.y + 1},
             {p.x - 1, p.y},
             {p.x - 1, p.y - 1}}};
}

}  // namespace civitas::quality
