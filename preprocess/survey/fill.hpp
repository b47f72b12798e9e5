#pragma once
/// What stands on a block: its use, the buildings of that use, and the ground between them.
#include "blocks.hpp"
#include "feature.hpp"

namespace civitas::survey {

/// The features cover the block once.
[[nodiscard]] std::vector<Feature> fill(const Site& site, const Block& block, Dice dice);

/// The market place with its church.
[[nodiscard]] std::vector<Feature> fill_market(const OGRPolygon& land, Dice dice);

}  // namespace civitas::survey
