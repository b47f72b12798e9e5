#pragma once
/// Houses wall to wall around a block, with their fronts on its edge and a courtyard behind.
#include "dice.hpp"
#include "geometry.hpp"

#include <vector>

namespace civitas::survey {

struct FrontageStyle {
    double depth = 12;     ///< of the deepest house, metres
    double front = 16;     ///< usual length of a front
    double gap_share = 0;  ///< share of the sites that stay open
};

/// Neighbours share their walls. Empty if the block's shape leaves no room for a courtyard.
[[nodiscard]] std::vector<OGRPolygon> frontage(const Ring& block, const FrontageStyle& style,
                                               Dice& dice);

}  // namespace civitas::survey
