#pragma once
/// Quarters divided into blocks by streets, and open country into fields.
#include "site.hpp"

namespace civitas::survey {

struct Block {
    OGRPolygon land;
    Zone zone = Zone::country;
    bool sidewalks = false;  ///< a strip along its edge belongs to the street
};

struct Division {
    std::vector<Block> blocks;
    std::vector<Street> streets;
};

/// The blocks do not overlap; what they leave of the quarter is street.
[[nodiscard]] Division divide(const Site& site, const OGRPolygon& quarter, Dice dice);

}  // namespace civitas::survey
