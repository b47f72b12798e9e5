#include "civitas/comm/node_memory.hpp"

#include "check.hpp"
#include "civitas/comm/waiting.hpp"

#include "civitas/comm/agree.hpp"
#include "civitas/comm/node_map.hpp"

#include <algorithm>
#include <exception>
#include <memory>

namespace civitas::comm {
namespace {

void require_room(std::int64_t bytes, const std::filesystem::path& disk) {
    const auto room = node_memory_room(disk);  // if none is known MPI has its memory elsewhere
    if (room && *room < bytes + node_memory_page)
        throw Error(text("shared memory of ", bytes, " bytes is needed on this node, ", disk,
                         " has room for ", *room),
                    Hint{text("clear ", disk,
                              ", or give it more room (mount -o remount,size=..., "
                              "docker run --shm-size)")});
}

MPI_Win allocated(const Communicator& node, std::int64_t bytes) {
    const Waiting waiting(node);
    void* mine = nullptr;
    MPI_Win window = MPI_WIN_NULL;
    check(MPI_Win_allocate_shared(node.is_root() ? bytes + node_memory_page : 0, 1, MPI_INFO_NULL,
                                  node.raw(), &mine, &window),
          "MPI_Win_allocate_shared");
    return window;
}

/// The memory of the first rank as this one sees it, from the begin of a page on, which is the same
/// for all.
std::span<std::byte> bytes_of(MPI_Win window, std::int64_t wanted) {
    MPI_Aint bytes = 0;
    int unit = 0;
    void* begin = nullptr;
    check(MPI_Win_shared_query(window, 0, &bytes, &unit, &begin), "MPI_Win_shared_query");
    auto room = static_cast<std::size_t>(bytes);
    const auto size = static_cast<std::size_t>(wanted);
    ensure(std::align(node_memory_page, size, begin, room) != nullptr,
           "shared memory has the size asked for");
    return {static_cast<std::byte*>(begin), size};
}

}  // namespace

std::optional<std::int64_t> node_memory_room(const std::filesystem::path& disk) {
    std::error_code unknown;
    const auto space = std::filesystem::space(disk, unknown);
    if (unknown) return std::nullopt;
    return static_cast<std::int64_t>(space.available / 5 * 4);
}

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
    bytes_ = agree(node, [&] { return bytes_of(window_.get(), bytes); });
    const Range mine = block_range(std::ssize(bytes_), index(node.rank()), node.size());
    const auto begin = bytes_.begin() + mine.begin;
    std::fill(begin, begin + mine.count, std::byte{0});
    node.barrier();
}

}  // namespace civitas::comm
