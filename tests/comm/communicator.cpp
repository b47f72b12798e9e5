#include "civitas/comm/communicator.hpp"
#include "civitas/comm/agree.hpp"

#include "support/agree.hpp"
#include "support/shared_folder.hpp"

#include <chrono>
#include <fstream>
#include <numeric>
#include <thread>

using namespace civitas;
using comm::Communicator;

namespace {

int me(const Communicator& ranks) { return index(ranks.rank()); }

std::vector<Range> uneven_slices(int ranks) {
    std::vector<Range> slices;
    std::int64_t begin = 0;
    for (int r = 0; r < ranks; ++r) {
        slices.push_back({begin, r % 3});
        begin += r % 3;
    }
    return slices;
}

}  // namespace

TEST_CASE("reductions and gathers see every rank") {
    const auto world = Communicator::world();
    const int n = world.size();
    CHECK(world.max(std::int64_t{me(world)}) == n - 1);
    CHECK(world.min(std::int64_t{me(world)}) == 0);
    CHECK(world.sum(std::int64_t{1}) == n);
    CHECK(world.all(true));
    CHECK(world.any(me(world) == n - 1));
    CHECK(world.all(me(world) != n - 1) == false);
    std::vector<int> expected(static_cast<std::size_t>(n));
    std::iota(expected.begin(), expected.end(), 0);
    CHECK(world.all_gather(me(world)) == expected);
    CHECK(world.all_gather(std::string(static_cast<std::size_t>(me(world)), 'x')).back().size() ==
          static_cast<std::size_t>(n - 1));
    CHECK(world.broadcast(std::string(me(world) == 0 ? "hello" : "")) == "hello");
}

TEST_CASE("one rank's values are brought to another") {
    const auto world = Communicator::world();
    const int last = world.size() - 1;
    for (int from = 0; from <= last; ++from)
        for (const int to : {0, last}) {
            std::vector<int> values(static_cast<std::size_t>(3 * me(world)), me(world));
            const auto got = world.transfer(values, Rank{from}, Rank{to});
            const auto expected = me(world) == to
                                      ? std::vector<int>(static_cast<std::size_t>(3 * from), from)
                                      : std::vector<int>{};
            CHECK(got == expected);
        }
}

TEST_CASE("who rests at a barrier goes on when the last has come, and looks about meanwhile") {
    const auto world = Communicator::world();
    const test::SharedFolder shared(world, "rest");
    const std::filesystem::path word = shared.path() / "word";
    const bool is_last = me(world) == world.size() - 1;
    if (is_last) {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        std::ofstream(word) << "come";
    }
    int looks = 0;
    world.barrier_at_rest([&] { ++looks; });
    CHECK(std::filesystem::exists(word));
    CHECK((is_last || looks > 1));
}

TEST_CASE("slices go to their owners and come back, empty ones too") {
    const auto world = Communicator::world();
    const int n = world.size();
    const auto slices = uneven_slices(n);
    const auto total = static_cast<std::size_t>(slices.back().end());
    std::vector<float> data(total);
    for (std::size_t i = 0; i < total; ++i)
        data[i] = static_cast<float>(100 * me(world)) + static_cast<float>(i);
    const Range mine = slices[static_cast<std::size_t>(me(world))];
    std::vector<float> pieces(static_cast<std::size_t>(mine.count * n));
    world.all_to_all_slices(std::span<const float>(data), slices, std::span<float>(pieces));
    for (int from = 0; from < n; ++from)
        for (std::int64_t k = 0; k < mine.count; ++k)
            CHECK(pieces[static_cast<std::size_t>(from * mine.count + k)] ==
                  static_cast<float>(100 * from + mine.begin + k));
    for (std::int64_t k = mine.begin; k < mine.end(); ++k)
        data[static_cast<std::size_t>(k)] = static_cast<float>(-k);
    world.all_gather_slices(std::span<float>(data), slices);
    for (std::size_t k = 0; k < total; ++k) CHECK(data[k] == -static_cast<float>(k));
    std::fill(data.begin(), data.end(), 0.0F);
    for (std::int64_t k = mine.begin; k < mine.end(); ++k)
        data[static_cast<std::size_t>(k)] = static_cast<float>(k);
    world.all_gather_short_slices(std::span<float>(data), slices);
    for (std::size_t k = 0; k < total; ++k) CHECK(data[k] == static_cast<float>(k));
}

TEST_CASE("an error on one rank is everyone's") {
    const auto world = Communicator::world();
    const int last = world.size() - 1;
    const auto failing = [&] {
        if (me(world) == last) throw Error("disk full", Hint{"free some space"});
        return 7;
    };
    CHECK_THROWS_WITH(comm::agree(world, failing),
                      Catch::Contains("disk full. Hint: free some space."));
    CHECK_THROWS_AS(comm::agree(world, [] { throw UsageError("wrong"); }), AgreedError);
    CHECK(comm::agree(world, [&] { return me(world); }) == me(world));
    REQUIRE_ALL(world, true);
}

TEST_CASE("an MPI error names the call and MPI's reason") {
    const auto world = Communicator::world();
    CHECK_THROWS_WITH(world.broadcast(1, Rank{12345}), Catch::Contains("MPI_Bcast"));
}
