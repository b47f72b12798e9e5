#pragma once
/// Tiles in memory, so that none is made anew for each of its neighbours.
#include "raster.hpp"

#include <algorithm>
#include <deque>
#include <map>

namespace civitas::vectorize {

/// The tiles made last, some 16 MiB of them and 16 at least.
class HeldTiles {
public:
    /// Tiles of so many pixels a side.
    explicit HeldTiles(std::int64_t side)
        : most_(static_cast<std::size_t>(std::max(kFewest, kMostBytes / (side * side)))) {}

    /// The tile, by make() where it is not held. It stays until 15 others have been made.
    template <class Make>
    const ClassRaster& get(std::int64_t tile, const Make& make) {
        if (const auto found = held_.find(tile); found != held_.end()) return found->second;
        ClassRaster made = make();
        if (order_.size() == most_) {
            held_.erase(order_.front());
            order_.pop_front();
        }
        order_.push_back(tile);
        return held_.emplace(tile, std::move(made)).first->second;
    }

private:
    static constexpr std::int64_t kFewest = 16;
    static constexpr std::int64_t kMostBytes = std::int64_t{16} << 20;

    std::size_t most_;
    std::map<std::int64_t, ClassRaster> held_;
    std::deque<std::int64_t> order_;  ///< in which those that are held were made
};

}  // namespace civitas::vectorize
