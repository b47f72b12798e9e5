#pragma once
/// Memory that the ranks of a node share.
#include "civitas/comm/communicator.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>

namespace civitas::comm {

/// The communicator of this rank's node: see node_map(). Collective over `world`.
[[nodiscard]] Communicator node_of(const Communicator& world, int ranks_of_node = 0);

/// What NodeMemory begins at a multiple of, bytes.
inline constexpr std::int64_t node_memory_page = 4096;
/// Where systems keep shared memory.
inline constexpr const char* node_memory_disk = "/dev/shm";
/// Bytes that NodeMemory may have there: a fifth of the room is spared, which MPI has its own
/// shared memory in. None where that is not known.
[[nodiscard]] std::optional<std::int64_t> node_memory_room(
    const std::filesystem::path& disk = node_memory_disk);

/// Bytes that every rank of a node reads and writes. The memory has no name, and is the system's
/// again when the last rank has let go of it, however that ends.
class NodeMemory {
public:
    /// Memory filled with zeros, if node_memory_room() has so much, on `disk` or where there is no
    /// such folder among temporary files. Collective over `node`; throws AgreedError with both
    /// numbers.
    NodeMemory(const Communicator& node, std::int64_t bytes,
               const std::filesystem::path& disk = node_memory_disk);

    [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }

private:
    std::shared_ptr<std::byte> mapping_;
    std::span<std::byte> bytes_;
};

}  // namespace civitas::comm
