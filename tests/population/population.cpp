#include "civitas/population/population.hpp"

#include "civitas/comm/agree.hpp"
#include "support/shared_folder.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
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

TEST_CASE("what stands in the place of the link to the best is told before any work") {
    const auto world = comm::Communicator::world();
    const test::SharedFolder folder(world, "no_place");
    StopSignals signals;
    Work work = idle();
    work.train = [](const auto& /*ranks*/, const auto& /*member*/, Log& /*log*/) -> Exit {
        FAIL("trained");
        return Exit::done;
    };
    comm::on_root(world, [&] { fs::create_directory(folder.path() / "best"); });
    const auto members = population::members_of({folder.path(), 2});
    CHECK_THROWS_WITH(population::train(world, folder.path(), members, work, signals),
                      Catch::Contains("is no link"));
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

namespace {

/// A member that fails at once, and one that ends its epoch when it hears of that, and then is
/// done.
class OneFails {
public:
    explicit OneFails(StopSignals& signals) : signals_(signals) {}
    [[nodiscard]] Exit train(const comm::Communicator& ranks, const Member& member) {
        ++calls;
        last_ranks = ranks.size();
        comm::agree(ranks, [&] {
            if (member.number == 2) throw Error("numbers went bad");
        });
        bool stop = false;
        for (int looks = 0; !stop && looks < 1000; ++looks) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
            stop = ranks.any(signals_.requested() || signals_.requested_after_epoch());
        }
        return stop ? Exit::stopped : Exit::done;
    }
    int calls = 0, last_ranks = 0;

private:
    StopSignals& signals_;
};

}  // namespace

TEST_CASE("ranks of a member that has failed join the others, as many as can share their steps") {
    const auto world = comm::Communicator::world();
    const test::SharedFolder folder(world, "joining");
    const bool all_join = GENERATE(true, false);
    StopSignals signals;
    OneFails members_at_work(signals);
    bool prepared = false;
    Work work = idle();
    work.train = [&](const comm::Communicator& ranks, const Member& member, Log& /*log*/) {
        if (!prepared) return members_at_work.train(ranks, member);
        CHECK(member.number == 1);
        ++members_at_work.calls;
        members_at_work.last_ranks = ranks.size();
        return Exit::done;
    };
    const int then = all_join ? world.size() : 1;
    const population::Joining joining{then, [&](const population::Groups& groups) {
                                          prepared = true;
                                          CHECK(groups.size() == 1);
                                          CHECK(groups.ranks_of(0) == then);
                                      }};
    const auto members = population::members_of({folder.path(), 2});
    CHECK(population::train(world, folder.path(), members, work, signals, joining) == Exit::error);
    CHECK(prepared);
    const bool works_again = index(world.rank()) < then;
    CHECK(members_at_work.calls == (works_again ? 2 : 1));
    CHECK(members_at_work.last_ranks == (works_again ? then : world.size() / 2));
    const std::string table = test::content(folder.path() / "population.txt");
    CHECK_THAT(table, Catch::Contains("failed: numbers went bad") && Catch::Contains("done") &&
                          Catch::Contains("best: member 1"));
}

TEST_CASE("who is asked to stop goes on with nobody's ranks, and can go on later") {
    const auto world = comm::Communicator::world();
    const test::SharedFolder folder(world, "stopped_joining");
    StopSignals signals;
    OneFails members_at_work(signals);
    Work work = idle();
    work.steps = [](const Member& member) { return std::int64_t{member.number == 2 ? 1 : 3}; };
    work.train = [&](const comm::Communicator& ranks, const Member& member, Log& /*log*/) {
        if (world.is_root()) ::raise(SIGUSR1);
        return members_at_work.train(ranks, member);
    };
    const population::Joining joining{
        world.size(), [](const population::Groups& /*groups*/) { FAIL("members go on"); }};
    const auto members = population::members_of({folder.path(), 2});
    const fs::path table = folder.path() / "population.txt";
    comm::on_root(world, [&] { std::ofstream(table) << "of an earlier job"; });
    CHECK(population::train(world, folder.path(), members, work, signals, joining) ==
          Exit::stopped);
    CHECK(members_at_work.calls == 1);
    CHECK(test::content(folder.path() / "stopped") == "3\n");
    CHECK_FALSE(fs::exists(table));
}
