#include "support/tensor.hpp"

#include "arrays.hpp"
#include "support/open_file_limit.hpp"

using namespace civitas;
using namespace civitas::test;
using comm::Communicator;
namespace cp = civitas::checkpoint;
namespace fs = std::filesystem;

namespace {

constexpr const char* cause = "Too many open files. Hint: raise the limit of open files";

fs::path saved(const Communicator& ranks, const SharedFolder& folder, int step) {
    return cp::save(ranks, folder.path(), header(step), cut(net(), ranks, step)).file;
}

}  // namespace

TEST_CASE("a checkpoint that cannot be read now ends the search, and none before it is taken") {
    const auto world = Communicator::world();
    const SharedFolder folder(world);
    saved(world, folder, 1);
    const fs::path newest = saved(world, folder, 2);
    std::string warned;
    const auto warn = [&](const std::string& words) { warned += words; };
    for (const int spare : {1, 2}) {
        std::optional<OpenFileLimit> few;
        if (world.is_root()) few.emplace(spare);
        if (spare == 2) {
            CHECK(cp::newest_whole(world, folder.path(), warn) == newest);
            continue;
        }
        CHECK_THROWS_AS(cp::newest_whole(world, folder.path(), warn), AgreedError);
        CHECK_THROWS_WITH(cp::newest_whole(world, folder.path(), warn),
                          Catch::Contains("step-00000002.h5") && Catch::Contains(cause));
    }
    CHECK(warned.empty());
}

TEST_CASE("what cannot be read now is neither whole nor damaged") {
    const auto world = Communicator::world();
    const SharedFolder folder(world);
    const fs::path file = saved(world, folder, 1);
    CHECK_FALSE(cp::problem_with(file));
    for (const int spare : {0, 1}) {
        const OpenFileLimit few(spare);
        CHECK_THROWS_WITH(cp::problem_with(file), Catch::Contains(cause));
    }
    world.barrier();
    if (world.is_root()) fs::resize_file(file, fs::file_size(file) - 1);
    world.barrier();
    CHECK_THAT(cp::problem_with(file).value_or("whole"), Catch::Contains("its end is missing"));
}
