#pragma once
/// Whether all ranks see one file under a name. A folder that every node has for itself looks like
/// a shared one, and a relative name leads elsewhere from another working folder.
#include "civitas/comm/communicator.hpp"
#include "civitas/io/files.hpp"

#include <cstdint>
#include <filesystem>

namespace civitas::checkpoint {

/// Bytes at the end of a file that tell it from others: its seal, or a mark while it is written.
constexpr std::uint64_t mark_bytes = 24;

/// Ends a file with random bytes, so that no other file is like it.
void mark_end(const io::RawFile& file);

/// Throws AgreedError, naming rank, host and what both see, when a rank sees a file of another size
/// or another end than the root. Where the root sees no file at all, it is left to the reading to
/// say so. Collective.
void require_same_file(const comm::Communicator& ranks, const std::filesystem::path& file);

}  // namespace civitas::checkpoint
