#pragma once
/// Memory that the ranks of a node share.
#include "civitas/comm/communicator.hpp"

#include <cstddef>
#include <filesystem>
#include <span>

namespace civitas::comm {

/// The communicator of this rank's node: see node_map(). Collective over `world`.
[[nodiscard]] Communicator node_of(const Communicator& world, int ranks_of_node = 0);

struct WindowTraits {
    using type = MPI_Win;
    static type null() noexcept { return MPI_WIN_NULL; }
    static void destroy(type window) noexcept;
};

/// Bytes that every rank of a node reads and writes, from construction to destruction, which are
/// both collective over them. Who is destroyed by an error leaves the memory to the system.
class NodeMemory {
public:
    /// Memory filled with zeros. `disk`: where the system keeps shared memory, whose room is looked
    /// at first, with a quarter to spare: where it is too small MPI fails on one rank and waits for
    /// ever on the others. Collective over `node`; throws AgreedError with both numbers.
    NodeMemory(const Communicator& node, std::int64_t bytes,
               const std::filesystem::path& disk = "/dev/shm");

    [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }

private:
    Handle<WindowTraits> window_;
    std::span<std::byte> bytes_;
};

}  // namespace civitas::comm
