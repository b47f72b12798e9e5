#pragma once
/// Which of the tiles go into the store, decided over all ranks.
#include "civitas/comm/communicator.hpp"
#include "preprocess/maps/cutting.hpp"
#include "preprocess/maps/settings.hpp"
#include "preprocess/maps/tally.hpp"

#include <vector>

namespace civitas::maps {

/// The variance that a tile must have: the lowest of the highest (1 - quantile) of all; 0 of none.
[[nodiscard]] float variance_threshold(std::vector<float> variances, double quantile);

struct Chosen {
    std::vector<data::TileRecord> records;
    std::vector<data::PackedTile> tiles;
    float variance_threshold = 0;
};

/// Of the cuttings of all ranks those of enough variance, with their split; tiles across train and
/// test ground are left out. Collective. Takes the chosen tiles out of `mine`. The tally counts
/// only this rank's.
[[nodiscard]] Chosen choose(const comm::Communicator& ranks, const Settings& settings,
                            Cuttings& mine, Tally& left_out);

}  // namespace civitas::maps
