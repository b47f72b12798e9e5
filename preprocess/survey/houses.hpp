#pragma once
/// Ways to build on a block. Each puts buildings on a lot and returns their outlines.
#include "dice.hpp"
#include "lot.hpp"

#include <vector>

namespace civitas::survey {

using Outlines = std::vector<OGRPolygon>;

[[nodiscard]] Outlines detached_houses(Lot& lot, Dice& dice);
[[nodiscard]] Outlines row_houses(Lot& lot, Dice& dice);
/// Long blocks of flats, parallel to each other, in the green.
[[nodiscard]] Outlines slabs(Lot& lot, Dice& dice);
[[nodiscard]] Outlines halls(Lot& lot, Dice& dice);
/// One large building with wings.
[[nodiscard]] Outlines school(Lot& lot, Dice& dice);
[[nodiscard]] Outlines church(Lot& lot, Dice& dice);
[[nodiscard]] Outlines farm(Lot& lot, Dice& dice);
/// Sheds and workshops in the middle of a courtyard.
[[nodiscard]] Outlines courtyard_buildings(Lot& lot, Dice& dice);

}  // namespace civitas::survey
