#pragma once
/// Which of the tiles go into the store, decided over all of them.
#include "cutting.hpp"
#include "settings.hpp"

#include <vector>

namespace civitas::maps {

/// The variance that a tile must have: the lowest of the highest (1 - quantile) of all; 0 of none.
[[nodiscard]] float variance_threshold(std::vector<float> variances, double quantile);

struct Chosen {
    std::vector<std::int64_t> cells;  ///< ascending
    std::vector<data::Split> splits;  ///< of each
    float variance_threshold = 0;
    std::vector<std::int64_t> flat = {};    ///< cells left out for their variance
    std::vector<std::int64_t> across = {};  ///< cells on train and test ground
};

/// Of all tiles that passed, in any order, those of enough variance, with their split; tiles across
/// train and test ground are left out. Pure.
[[nodiscard]] Chosen choose(const Grid& grid, const Settings& settings, std::vector<Passed> all);

[[nodiscard]] std::int64_t count_test(const Chosen& chosen);

}  // namespace civitas::maps
