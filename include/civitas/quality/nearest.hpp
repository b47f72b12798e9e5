#pragma once
/// Whether plans are copies of what was learnt.
#include "civitas/quality/class_map.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace civitas::quality {

/// For each of some tiles the share of pixels that are of another class in the nearest of `among`,
/// in any of the 8 symmetries of the square. Tiles of more than 64 pixels a side are compared at
/// half of that size as often as it takes, by the most frequent class of each square (of equally
/// frequent ones the most built). Precondition: all of one size; `among` is not empty.
[[nodiscard]] std::vector<double> nearest_differences(std::span<const ClassMap> tiles,
                                                      std::span<const ClassMap> among);

/// How near plans come to training tiles, beside how near test tiles do, which no one can have
/// copied.
struct Memorisation {
    std::int64_t among = 0;  ///< training tiles
    double plans = 0;        ///< mean difference to the nearest one
    double test = 0;         ///< likewise
    double nearest_plan = 0;
    double nearest_test = 0;
    /// Share of the plans that come nearer than any test tile.
    double nearer_share = 0;

    /// Far below 1 where plans are copies; 1 where they are as new as test tiles.
    [[nodiscard]] double ratio() const { return test > 0 ? plans / test : 1; }
};
[[nodiscard]] Memorisation memorisation(std::span<const ClassMap> plans,
                                        std::span<const ClassMap> test,
                                        std::span<const ClassMap> learnt);

}  // namespace civitas::quality
