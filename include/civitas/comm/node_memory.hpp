#pragma once
/// Memory that the ranks of a node share.
#include "civitas/comm/communicator.hpp"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>

namespace civitas::comm {

/// The communicator of this rank's node: see node_map(). Collective over `world`.
[[nodiscard]] Communicator node_of(const Communicator& world, int ranks_of_node = 0);

struct WindowTraits {
    using type = MPI_Win;
    static type null() noexcept { return MPI_WIN_NULL; }
    static void destroy(type window) noexcept;
};

/// What NodeMemory begins at a multiple of, bytes. Open MPI puts shared memory behind a header of
/// its own, at a multiple of 8 only: kernels that look at alignment would give other bits there.
inline constexpr std::int64_t node_memory_page = 4096;
/// Where systems keep shared memory.
inline constexpr const char* node_memory_disk = "/dev/shm";
/// Bytes that NodeMemory may have there: a fifth of the room is spared, since where there is none
/// MPI fails on one rank and waits for ever on the others. None where that is not known.
[[nodiscard]] std::optional<std::int64_t> node_memory_room(
    const std::filesystem::path& disk = node_memory_disk);

/// Bytes that every rank of a node reads and writes, from construction to destruction, which are
/// both collective over them. Who is destroyed by an error leaves the memory to the system.
class NodeMemory {
public:
    /// Memory filled with zeros, if node_memory_room() has so much. Collective over `node`; throws
    /// AgreedError with both numbers.
    NodeMemory(const Communicator& node, std::int64_t bytes,
               const std::filesystem::path& disk = node_memory_disk);

    [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }

private:
    Handle<WindowTraits> window_;
    std::span<std::byte> bytes_;
};

}  // namespace civitas::comm
