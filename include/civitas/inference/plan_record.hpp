#pragma once
/// Generated plans as tiles of a store.
#include "civitas/data/coding.hpp"
#include "civitas/data/store_writer.hpp"

#include <vector>

namespace civitas::inference {

/// Where the north-west corner of a plan lies, metres.
struct Anchor {
    double easting = 0;
    double northing = 0;
};

/// A rank's plans as tiles of a store.
struct Plans {
    std::vector<data::TileRecord> records = {};
    std::vector<data::PackedTile> tiles = {};
    void add(const data::Decoded& plan, Anchor corner);
};

}  // namespace civitas::inference
