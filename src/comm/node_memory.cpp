#include "civitas/comm/node_memory.hpp"

#include "check.hpp"
#include "waiting.hpp"

#include "civitas/comm/agree.hpp"
#include "civitas/comm/node_map.hpp"

#include <algorithm>
#include <exception>

namespace civitas::comm {
namespace {

void require_room(std::int64_t bytes, const std::filesystem::path& disk) {
    std::error_code unknown;
    const auto space = std::filesystem::space(disk, unknown);
    if (unknown) return;  // then MPI has its memory elsewhere
    const std::int64_t needed = bytes + bytes / 4;
    const auto free = static_cast<std::int64_t>(space.available);
    if (free < needed)
        throw Error(text("shared memory of ", needed, " bytes is needed on this node, ", disk,
                         " has room for ", free),
                    Hint{text("clear ", disk,
                              ", or give it more room (mount -o remount,size=..., "
                              "docker run --shm-size)")});
}

MPI_Win allocated(const Communicator& node, std::int64_t bytes) {
    const Waiting waiting(node);
    void* mine = nullptr;
    MPI_Win window = MPI_WIN_NULL;
    check(MPI_Win_allocate_shared(node.is_root() ? bytes : 0, 1, MPI_INFO_NULL, node.raw(), &mine,
                                  &window),
          "MPI_Win_allocate_shared");
    return window;
}

/// The memory of the first rank as this one sees it.
std::span<std::byte> bytes_of(MPI_Win window) {
    MPI_Aint bytes = 0;
    int unit = 0;
    void* begin = nullptr;
    check(MPI_Win_shared_query(window, 0, &bytes, &unit, &begin), "MPI_Win_shared_query");
    return {static_cast<std::byte*>(begin), static_cast<std::size_t>(bytes)};
}

}  // namespace

Communicator node_of(const Communicator& world, int ranks_of_node) {
    return world.split(node_map(world, ranks_of_node).node_of(world.rank()), index(world.rank()));
}

void WindowTraits::destroy(type window) noexcept {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (!finalized && std::uncaught_exceptions() == 0) MPI_Win_free(&window);
}

NodeMemory::NodeMemory(const Communicator& node, std::int64_t bytes,
                       const std::filesystem::path& disk) {
    agree(node, [&] { require_room(bytes, disk); });
    agree(node, [&] { window_ = Handle<WindowTraits>(allocated(node, bytes)); });
    bytes_ = agree(node, [&] { return bytes_of(window_.get()); });
    if (node.is_root()) std::fill(bytes_.begin(), bytes_.end(), std::byte{0});
    node.barrier();
}

}  // namespace civitas::comm
