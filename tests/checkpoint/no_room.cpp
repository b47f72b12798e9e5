#include "support/tensor.hpp"

#include "arrays.hpp"
#include "support/file_size_limit.hpp"
#include "support/small_disk.hpp"

#include <fstream>

using namespace civitas;
using namespace civitas::test;
using comm::Communicator;
namespace cp = civitas::checkpoint;
namespace fs = std::filesystem;

TEST_CASE("a disk that fills up on any one rank leaves the older checkpoint and nothing else") {
    const auto world = Communicator::world();
    const SharedFolder folder(world);
    const auto arrays = net();
    const auto older = cp::save(world, folder.path(), header(1), cut(arrays, world, 0));
    for (int victim = 0; victim < world.size(); ++victim) {
        std::string said;
        {
            std::optional<FileSizeLimit> limit;
            if (index(world.rank()) == victim) limit.emplace(6000);
            try {
                static_cast<void>(cp::save(world, folder.path(), header(2), cut(arrays, world, 0)));
            } catch (const AgreedError& e) {
                said = e.what();
            }
        }
        CHECK_THAT(said, Catch::Contains("step-00000002.h5.part-"));
        if (world.size() > 1) CHECK_THAT(said, Catch::StartsWith(text("rank ", victim, ": ")));
        CHECK(world.all_gather(said) ==
              std::vector<std::string>(static_cast<std::size_t>(world.size()), said));
        CHECK(folder.entries() == 1);
    }
    CHECK(cp::damaged_arrays(older.file).empty());
    const auto next = cp::save(world, folder.path(), header(2), cut(arrays, world, 0));
    CHECK(cp::damaged_arrays(next.file).empty());
}

TEST_CASE("a full disk leaves nothing") {
    const auto world = Communicator::world();
    const SharedFolder folder(world);
    std::optional<SmallDisk> disk;
    if (world.is_root()) disk.emplace(folder.path(), "400k");
    if (!world.broadcast(disk && disk->mounted())) {
        if (world.is_root()) WARN("cannot mount a small disk: only a limit imitates a full one");
        return;
    }
    const at::Tensor large = at::zeros({100'000});
    CHECK_THROWS_WITH(
        cp::save(world, folder.path(), header(1), {cp::whole("/x", large, world.is_root())}),
        Catch::Contains("No space left on device. Hint: free some space, or write elsewhere."));
    CHECK(folder.entries() == 0);
    world.barrier();
}

TEST_CASE("a folder that cannot be made is everybody's error") {
    const auto world = Communicator::world();
    const SharedFolder folder(world);
    if (world.is_root()) std::ofstream(folder.path() / "file") << "not a folder";
    world.barrier();
    CHECK_THROWS_AS(
        cp::save(world, folder.path() / "file" / "checkpoints", header(1), cut(net(), world, 0)),
        AgreedError);
    CHECK_THROWS_WITH(
        cp::save(world, folder.path() / "file" / "checkpoints", header(1), cut(net(), world, 0)),
        Catch::Contains("file/checkpoints"));
    CHECK(folder.entries() == 1);
}
