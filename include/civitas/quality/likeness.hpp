#pragma once
/// Whether plans that were asked to be like a town are more like it than like others.
#include "civitas/quality/class_map.hpp"
#include "civitas/quality/evaluation.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace civitas::quality {

/// Of one town: equal numbers of each, as they are stored.
struct TownMaps {
    std::string town;
    std::vector<ClassMap> plans, test, train;
};

/// Sliced Wasserstein distances of a town's plans, and of its training tiles (real against real),
/// to the test tiles of each town, in the order of the towns.
struct TownDistances {
    std::string town;
    std::vector<double> plans, train;
};

struct Likeness {
    std::int64_t count = 0;  ///< of plans, test and training tiles of each town
    std::vector<TownDistances> towns;
    std::int64_t left_out = 0;  ///< towns that plans can be asked to be like, but are not here
};

/// Precondition: equal numbers of each of all towns, all of one size. Throws Error, as
/// sliced_wasserstein(), for maps that cannot be compared.
[[nodiscard]] std::vector<TownDistances> distances_between(std::span<const TownMaps> towns,
                                                           Seed seed);

}  // namespace civitas::quality
