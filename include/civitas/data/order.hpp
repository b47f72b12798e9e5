#pragma once
/// Which tile a sample is, and how it is turned: by formula (DESIGN: sample t is position t mod N
/// of epoch t div N, the tile at a position a keyed bijection of 0..N-1).
#include "civitas/base/numbers.hpp"
#include "civitas/data/coding.hpp"

namespace civitas::data {

struct Drawn {
    std::int64_t position = 0;  ///< in the list of training tiles
    Symmetry symmetry{};
};

/// Draws the tile and the turn of a sample. Pure: depends on the seed, the number of tiles and the
/// sample's number, on nothing else.
[[nodiscard]] Drawn draw(Seed seed, std::int64_t tiles, Sample sample);

}  // namespace civitas::data
