#pragma once
/// What a classifier is to tell of each tile.
#include "civitas/data/tile_store.hpp"

namespace civitas::data {

/// A class for every tile of a store, whatever its split.
struct Labels {
    std::vector<std::uint16_t> of_tile;  ///< row of `names`
    std::vector<std::string> names;
};

/// The classes of a store's tiles: the store's own labels, or the maps that tiles were cut from,
/// in the order of `/sources`, without those that no tile is from. Throws UsageError, with a hint,
/// for a store without labels, for fewer than two classes, and for a class without a training tile.
[[nodiscard]] Labels labels_of(const TileStore& store, LabelSource source);

/// The same to test a classifier with: of any number of classes, none of which needs a training
/// tile. Throws UsageError, with a hint, for a store without labels.
[[nodiscard]] Labels classes_of_tiles(const TileStore& store, LabelSource source);

/// A line for each class that a store has labels of, with its numbers of tiles; after the first
/// hundred how many more there are. For people.
[[nodiscard]] std::vector<std::string> lines_of_labels(const TileStore& store);

}  // namespace civitas::data
