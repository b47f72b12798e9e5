#include "civitas/comm/node_memory.hpp"

#include "support/shared_folder.hpp"
#include "support/small_disk.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <optional>

using namespace civitas;
using namespace civitas::comm;

namespace {

/// Each rank writes into its own place and reads those of all.
void write_and_read(const Communicator& node) {
    const NodeMemory memory(node, node.size());
    REQUIRE(std::ssize(memory.bytes()) == node.size());
    CHECK(reinterpret_cast<std::uintptr_t>(memory.bytes().data()) % 4096 == 0);
    for (const std::byte fresh : memory.bytes()) CHECK(fresh == std::byte{0});
    node.barrier();
    const auto me = static_cast<std::size_t>(index(node.rank()));
    memory.bytes()[me] = static_cast<std::byte>(me + 1);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    node.barrier();
    for (std::size_t rank = 0; rank < memory.bytes().size(); ++rank)
        CHECK(memory.bytes()[rank] == static_cast<std::byte>(rank + 1));
    node.barrier();
}

}  // namespace

TEST_CASE("ranks of a node see what the others write, on whole machines and on parts of one") {
    const auto world = Communicator::world();
    const Communicator machine = node_of(world);
    CHECK(machine.size() == world.size());
    write_and_read(machine);
    if (world.size() % 2 != 0) return;
    const Communicator pair = node_of(world, 2);
    CHECK(pair.size() == 2);
    write_and_read(pair);
}

TEST_CASE(
    "shared memory that does not fit is told to all ranks of the node, and none stays behind") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "node_memory");
    std::optional<test::SmallDisk> disk;
    if (world.is_root()) disk.emplace(folder.path(), "40k");
    if (!world.broadcast(world.is_root() && disk->mounted())) return;
    CHECK_NOTHROW(NodeMemory(world, 32768, folder.path()));
    CHECK_THROWS_WITH(NodeMemory(world, 36000, folder.path()),
                      Catch::Contains("shared memory of 36000 bytes is needed on this node") &&
                          Catch::Contains("has room for 32768. Hint: clear"));
    world.barrier();
    CHECK(node_memory_room(folder.path()) == 32768);
    for (int failure = 0; failure < 3; ++failure) {
        try {
            const NodeMemory memory(world, 20000, folder.path());
            if (world.is_root()) CHECK(std::filesystem::is_empty(folder.path()));
            throw Error("nobody frees it together");
        } catch (const AgreedError&) {
            FAIL("memory of a failure is gone");
        } catch (const Error&) {
            continue;
        }
    }
    CHECK_FALSE(node_memory_room(folder.path() / "nowhere"));
    CHECK_NOTHROW(NodeMemory(world, 100, folder.path() / "nowhere"));
    world.barrier();
}
