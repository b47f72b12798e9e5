#pragma once
/// A picture of some of the tiles.
#include "civitas/comm/communicator.hpp"

#include <cstdint>
#include <filesystem>
#include <span>

namespace civitas::maps {

/// Up to 64 tiles, evenly spread over all ranks' tiles, as a PNG sheet in map colours. `pixels`
/// holds this rank's tiles of `side` x `side` classes. Collective; throws AgreedError.
void write_preview(const comm::Communicator& ranks, const std::filesystem::path& file,
                   std::span<const std::uint8_t> pixels, std::int64_t side);

}  // namespace civitas::maps
