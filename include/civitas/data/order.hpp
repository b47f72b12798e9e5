#pragma once
/// Which tile a sample is, and how it is turned: by formula (DESIGN: sample t is position t mod N
/// of epoch t div N, the tile at a position a keyed bijection of 0..N-1).
#include "civitas/base/numbers.hpp"
#include "civitas/base/sampling.hpp"
#include "civitas/data/coding.hpp"

#include <span>

namespace civitas::data {

struct Drawn {
    std::int64_t position = 0;  ///< in the list of training tiles
    Symmetry symmetry{};
};

/// Draws the tile and the turn of a sample, of the symmetries that are allowed. Pure: depends on
/// what it is given, on nothing else; the tile on the seed, the number of tiles and the sample's.
[[nodiscard]] Drawn draw(Seed seed, std::int64_t tiles, Sample sample,
                         Symmetries allowed = Symmetries::all);

/// Which of the training rows of a store (TileStore::rows) a sample is: the tile that a Loader
/// gives, and so the label that belongs to it.
[[nodiscard]] TileIndex training_tile(std::span<const TileIndex> training_rows, Seed seed,
                                      Sample sample);

}  // namespace civitas::data
