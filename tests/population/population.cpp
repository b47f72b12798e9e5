#include "civitas/population/population.hpp"

#include "civitas/comm/agree.hpp"
#include "support/shared_folder.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

using namespace civitas;
using population::Figures;
using population::Member;
using population::Work;

namespace {

namespace fs = std::filesystem;

/// Two members that do next to nothing.
Work idle() {
    return {[](const auto& /*ranks*/, const auto& /*member*/, Log& /*log*/) { return Exit::done; },
            [](const auto& /*ranks*/, const Member& member, Log& /*log*/) {
                return Figures{0, 0, 10.0 - member.number, 1, 0};
            },
            [](const auto& /*member*/) { return std::int64_t{3}; }};
}

}  // namespace

TEST_CASE("each half of the ranks works on its own member, and the best is linked") {
    const auto world = comm::Communicator::world();
    const test::SharedFolder folder(world, "population");
    StopSignals signals;
    Work work = idle();
    work.train = [&](const comm::Communicator& ranks, const Member& member, Log& /*log*/) {
        CHECK(ranks.size() == world.size() / 2);
        CHECK(member.number == 1 + index(world.rank()) / ranks.size());
        return Exit::done;
    };
    const auto members = population::members_of({folder.path(), 2});
    CHECK(population::train(world, folder.path(), members, work, signals) == Exit::done);
    CHECK(fs::read_symlink(folder.path() / "best") == "2");
    CHECK_THAT(test::content(folder.path() / "population.txt"), Catch::Contains("best: member 2"));
}

TEST_CASE("a member that fails ends alone, and its error is the job's") {
    const auto world = comm::Communicator::world();
    const test::SharedFolder folder(world, "failing");
    StopSignals signals;
    Work work = idle();
    work.train = [](const comm::Communicator& ranks, const Member& member, Log& /*log*/) {
        comm::agree(ranks, [&] {
            if (member.number == 2) throw Error("numbers went bad");
        });
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        return Exit::done;
    };
    const auto members = population::members_of({folder.path(), 2});
    CHECK(population::train(world, folder.path(), members, work, signals) == Exit::error);
    CHECK(fs::read_symlink(folder.path() / "best") == "1");
    CHECK_THAT(test::content(folder.path() / "population.txt"),
               Catch::Contains("failed: numbers went bad"));
}

TEST_CASE("members that are all refused leave nothing") {
    const auto world = comm::Communicator::world();
    const test::SharedFolder folder(world, "refused");
    StopSignals signals;
    Work work = idle();
    work.steps = [](const auto& /*member*/) { return std::int64_t{0}; };
    work.train = [](const comm::Communicator& /*ranks*/, const Member& /*member*/,
                    Log& /*log*/) -> Exit { throw AgreedError("no such tiles", true); };
    const auto members = population::members_of({folder.path(), 2});
    CHECK_THROWS_WITH(population::train(world, folder.path(), members, work, signals),
                      "no member could begin: no such tiles");
    CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("a request to stop that one rank sees stops all members, also after its own has ended") {
    const auto world = comm::Communicator::world();
    const test::SharedFolder folder(world, "stopped");
    const bool ends_first = GENERATE(false, true);
    StopSignals signals;
    Work work = idle();
    work.train = [&](const comm::Communicator& ranks, const Member& member, Log& /*log*/) {
        if (world.is_root()) ::raise(SIGUSR1);
        if (ends_first && member.number == 1) return Exit::done;
        bool stop = false;
        for (int looks = 0; !stop && looks < 1000; ++looks) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
            stop = ranks.any(signals.requested());
        }
        return stop ? Exit::stopped : Exit::done;
    };
    const auto members = population::members_of({folder.path(), 2});
    CHECK(population::train(world, folder.path(), members, work, signals) == Exit::stopped);
    CHECK(test::content(folder.path() / "stopped") == "3\n");
    CHECK_FALSE(fs::exists(folder.path() / "population.txt"));
    CHECK_FALSE(fs::is_symlink(folder.path() / "best"));
}
