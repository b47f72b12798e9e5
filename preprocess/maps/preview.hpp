#pragma once
/// A picture of some of the tiles.
#include "civitas/comm/communicator.hpp"
#include "civitas/data/store_writer.hpp"

#include <cstdint>
#include <filesystem>
#include <span>

namespace civitas::maps {

/// Up to 64 tiles, evenly spread over all ranks' tiles, as a PNG sheet in map colours. `tiles`
/// are this rank's, of `side` x `side` classes; large ones are thinned. Collective; throws
/// AgreedError.
void write_preview(const comm::Communicator& ranks, const std::filesystem::path& file,
                   std::span<const data::PackedTile> tiles, std::int64_t side, io::Replace replace);

}  // namespace civitas::maps
