#pragma once
/// Tiles in memory, so that none is made anew for each of its neighbours.
#include "raster.hpp"

#include <algorithm>
#include <list>
#include <map>

namespace civitas::vectorize {

/// How many tiles stay, whatever their size; and how many bytes of smaller ones.
struct HoldAtLeast {
    std::size_t tiles = 1;
    std::size_t bytes = std::size_t{16} << 20;
};

/// The tiles asked for last. Of a map so wide that three rows of tiles are more than these, tiles
/// are made anew for each row.
class HeldTiles {
public:
    /// `bytes`: of a tile.
    HeldTiles(std::size_t bytes, HoldAtLeast least)
        : most_(std::max(least.tiles, least.bytes / bytes)) {}

    /// The tile, by make() where it is not held. It stays until as many others as are held have
    /// been asked for.
    template <class Make>
    const ClassRaster& get(std::int64_t tile, const Make& make) {
        if (const auto found = held_.find(tile); found != held_.end()) {
            latest_.splice(latest_.end(), latest_, found->second);
            return latest_.back().second;
        }
        ClassRaster made = make();
        if (latest_.size() == most_) {
            held_.erase(latest_.front().first);
            latest_.pop_front();
        }
        latest_.emplace_back(tile, std::move(made));
        held_.emplace(tile, std::prev(latest_.end()));
        return latest_.back().second;
    }

private:
    using Latest = std::list<std::pair<std::int64_t, ClassRaster>>;

    std::size_t most_;
    Latest latest_;  ///< the one asked for last at the end
    std::map<std::int64_t, Latest::iterator> held_;
};

}  // namespace civitas::vectorize
