#include "population/rounds.hpp"

#include <catch2/catch.hpp>

using namespace civitas;
using namespace civitas::population;

namespace {

constexpr std::int64_t micro_batches = 4;

/// Members of 2 ranks each, which ended so.
Round after(const std::vector<Exit>& exits) {
    Round round{Groups(static_cast<int>(2 * exits.size()), std::ssize(exits)), {}};
    std::vector<Ending> endings;
    for (std::size_t i = 0; i < exits.size(); ++i) {
        round.members.push_back(i);
        endings.push_back({.exit = exits[i]});
    }
    return next_round(static_cast<int>(2 * exits.size()), round, endings, micro_batches);
}

}  // namespace

TEST_CASE("those go on who have stopped because another has failed") {
    CHECK(after({Exit::stopped, Exit::error, Exit::stopped}).members ==
          std::vector<std::size_t>{0, 2});
    CHECK(after({Exit::stopped, Exit::usage}).members == std::vector<std::size_t>{0});
    // Who is done is done, and without a failure a stop is a stop.
    CHECK(after({Exit::done, Exit::error}).members.empty());
    CHECK(after({Exit::stopped, Exit::stopped}).members.empty());
    CHECK(after({Exit::stopped, Exit::done}).members.empty());
}

TEST_CASE("who goes on by how many ranks is said, and how many are left over") {
    const auto members = members_of(Request{"models", 4});
    CHECK(in_words(6, after({Exit::stopped, Exit::error, Exit::stopped}), members, micro_batches) ==
          "the ranks of who has failed join the others: member 1 goes on with 4 ranks, member 3 "
          "with 2 ranks");
    CHECK(in_words(6, after({Exit::error, Exit::stopped, Exit::error}), members, micro_batches) ==
          "the ranks of who has failed join the others: member 2 goes on with 4 ranks; 2 ranks are "
          "left over, since the 4 micro-batches of a step are shared evenly");
}
