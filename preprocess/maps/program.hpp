#pragma once
/// civitas-preprocess: maps become a tile store.
#include "civitas/base/log.hpp"
#include "civitas/comm/communicator.hpp"
#include "civitas/comm/session.hpp"
#include "civitas/data/store_writer.hpp"
#include "preprocess/maps/settings.hpp"

namespace civitas::maps {

/// A rank's tiles, and what is known of all.
struct Tiles {
    data::StoreHeader header;  ///< the same on all ranks
    std::vector<data::TileRecord> records;
    std::vector<data::PackedTile> tiles;
};

/// Read, share, cut, choose. Collective. One rank's tiles after the other's are the same whatever
/// the number of ranks. Throws AgreedError. Touches no file but the inputs, and those only to read.
[[nodiscard]] Tiles make_tiles(const comm::Communicator& ranks, const Settings& settings, Log& log);

/// The whole work, from the sample's survey to the preview. Collective. Throws AgreedError.
void preprocess(const comm::Communicator& ranks, const Settings& settings, Log& log);

/// The program: options, then preprocess.
[[nodiscard]] comm::Exit preprocess_command(const comm::Communicator& ranks, int argc, char** argv);

}  // namespace civitas::maps
