#pragma once
/// A whole town as land cover, in local metres: [0, side] squared.
#include "feature.hpp"
#include "site.hpp"

#include <vector>

namespace civitas::survey {

struct Town {
    std::vector<Feature> features;  ///< without gaps or overlaps
    std::vector<Street> streets;    ///< every street with its least width
};

[[nodiscard]] Town make_town(const TownChoice& choice);

}  // namespace civitas::survey
