#pragma once
/// A picture of some of the tiles.
#include "civitas/comm/communicator.hpp"
#include "civitas/data/store_writer.hpp"
#include "civitas/io/picture.hpp"

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace civitas::maps {

/// Collects up to 64 tiles, evenly spread over all, for a PNG sheet: classes in map colours, images
/// in their own.
class Preview {
public:
    /// Of a store of `tiles` tiles. `ranks` outlives it.
    Preview(const comm::Communicator& ranks, std::int64_t tiles, const data::StoreHeader& header);

    /// The next tiles: those of all ranks, in rank order. Those that are shown go to the root,
    /// thinned if large. Collective.
    void take(std::span<const data::PackedTile> mine);
    /// After the last tile. Collective; throws AgreedError.
    void write(const std::filesystem::path& file, io::Replace replace) const;
    /// The sheet. After the last tile, of the root.
    [[nodiscard]] io::Picture sheet() const;

private:
    const comm::Communicator& ranks_;
    std::int64_t tiles_, side_;
    data::Content content_;
    std::int64_t seen_ = 0, shown_ = 0;
    std::vector<std::uint8_t> bytes_ = {};  ///< of the root: those of the tiles shown
};

}  // namespace civitas::maps
