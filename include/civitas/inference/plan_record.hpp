#pragma once
/// Generated plans as tiles of a store.
#include "civitas/data/coding.hpp"
#include "civitas/data/store_writer.hpp"

#include <string>
#include <vector>

namespace civitas::inference {

/// Where the north-west corner of a plan lies, metres.
struct Anchor {
    double easting = 0;
    double northing = 0;
};
/// `2600000,1200000`; at 0,0 without words. Throws UsageError: other words, or farther than 1e8 m
/// from 0,0.
[[nodiscard]] Anchor parse_anchor(const std::string& words);

/// Throws UsageError for words that look like degrees where plans lie in a system with a number,
/// which is in metres; its origin may be meant.
void require_metres(const std::string& anchor, const data::StoreHeader& ground);

/// A rank's plans as tiles of a store.
struct Plans {
    std::vector<data::TileRecord> records = {};
    std::vector<data::PackedTile> tiles = {};
    void add(const data::Decoded& plan, Anchor corner);
};

}  // namespace civitas::inference
