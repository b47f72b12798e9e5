#pragma once
/// The tiles of maps, streamed.
#include "civitas/base/log.hpp"
#include "civitas/comm/communicator.hpp"
#include "civitas/data/store_writer.hpp"
#include "preprocess/map_report/account.hpp"
#include "settings.hpp"

#include <span>

namespace civitas::maps {

/// Takes the tiles of a map, batch by batch.
class TileSink {
public:
    TileSink() = default;
    TileSink(const TileSink&) = delete;
    TileSink& operator=(const TileSink&) = delete;
    virtual ~TileSink() = default;
    /// Before the first tile: what they have in common, the same on all ranks, and how many there
    /// will be on all ranks together. Collective.
    virtual void begin(const data::StoreHeader& header, std::int64_t tiles) = 0;
    /// Before that, where settings ask for a report: what it tells. The ground is that of the root.
    virtual void explain(map_report::Account&&) {}
    /// In the place of begin() where no tile is kept, which is an error after it. Collective.
    virtual void keep_none(const data::StoreHeader&, Log&) {}
    /// The next tiles: those of all ranks, in rank order; a rank may have none. Collective.
    virtual void take(std::span<const data::TileRecord> records,
                      std::span<const data::PackedTile> tiles) = 0;
};

/// How many tiles of so many pixels a side a rank holds at most at a time.
[[nodiscard]] std::int64_t most_tiles_held(std::int64_t pixels);

/// Read, share, choose, cut, and hand on. Collective. The tiles and their order are the same
/// whatever the number of ranks. Throws AgreedError, one about the map before the sink begins.
/// Touches no file but the inputs, and those only to read.
void make_tiles(const comm::Communicator& ranks, const Settings& settings, TileSink& sink,
                Log& log);

}  // namespace civitas::maps
