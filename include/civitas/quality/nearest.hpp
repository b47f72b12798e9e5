#pragma once
/// Whether plans are copies of what was learnt.
#include "civitas/quality/class_map.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace civitas::quality {

/// A tile at half of its size, as often as it has more than 64 pixels a side and an even number of
/// them (250 become 125): each pixel is the most frequent class of the four that it stands for, of
/// equally frequent ones the most built.
[[nodiscard]] ClassMap halved(ClassMap map);

/// For each of some tiles the share of pixels that are of another class in the nearest of `among`,
/// in any of the 8 symmetries of the square, halved(). Precondition: all are then of one size;
/// `among` is not empty.
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
