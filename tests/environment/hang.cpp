#include "civitas/environment/hang.hpp"

#include <catch2/catch.hpp>

using namespace civitas;
using namespace civitas::environment;

namespace {

constexpr NodeTime second = 1'000'000'000;
constexpr RankRow nobody{};
constexpr RankRow all_of_2{0, 1, 2}, all_of_4{0, 1, 4};

/// A rank that posted last so many seconds ago, and that it waits for these ranks.
RankState rank(int number, double ago_s, RankRow awaited, double unseen_s = 0) {
    Activity activity;
    activity.step = 12;
    activity.awaited = awaited;
    const auto at = 100 * second - static_cast<NodeTime>(ago_s * static_cast<double>(second));
    return {Rank{number}, {{Axis::pipe, number}}, 4000 + number, unseen_s, {{activity, at, at}}};
}

Standstill standstill(std::vector<RankState> ranks) {
    return {.ranks = std::move(ranks),
            .now = 100 * second,
            .limit_s = 3,
            .grace_s = 1,
            .host = "here",
            .time = "today"};
}

std::string words(const Activity& /*activity*/) { return "works"; }

struct Case {
    std::string what;
    std::vector<RankState> ranks;
    Suspicion suspicion;
    int rank = 0;
    std::string said;
};

}  // namespace

TEST_CASE("the rank that nobody's wait explains is named") {
    const std::vector<Case> cases{
        {"one computes, the other waits for its message",
         {rank(0, 5, row_of(Rank{1})), rank(1, 6, nobody)},
         Suspicion::busy,
         1,
         "rank 1 (data=0,pipe=1,tensor=0) has not moved for 6.0 s, and waits for no other rank: "
         "step 12, works"},
        {"who waits may have been still for longer",
         {rank(0, 9, row_of(Rank{1})), rank(1, 6, nobody)},
         Suspicion::busy,
         1,
         "rank 1 ("},
        {"a circle of waits along a pipe ends at who computes",
         {rank(0, 4, row_of(Rank{1})), rank(1, 5, row_of(Rank{2})), rank(2, 8, nobody),
          rank(3, 4, all_of_4)},
         Suspicion::busy,
         2,
         "rank 2 ("},
        {"of two that compute the one without a post for longer",
         {rank(0, 4, nobody), rank(1, 7, nobody)},
         Suspicion::busy,
         1,
         "rank 1 ("},
        {"one whose process does not run, in the midst of a wait",
         {rank(0, 4, all_of_2), rank(1, 3.5, row_of(Rank{0}), 4)},
         Suspicion::stopped,
         1,
         "rank 1 (data=0,pipe=1,tensor=0) is stopped: process 4001 has not been seen to run for "
         "4.0 s: step 12, works, waits for rank 0"},
        {"one whose process does not run, before one that computes",
         {rank(0, 9, nobody), rank(1, 3.5, nobody, 4)},
         Suspicion::stopped,
         1,
         "rank 1 ("},
        {"a process that was not seen for a moment runs",
         {rank(0, 9, nobody), rank(1, 3.5, nobody, 1)},
         Suspicion::busy,
         0,
         "rank 0 ("},
        {"all wait for each other: the longest wait",
         {rank(0, 4, row_of(Rank{1})), rank(1, 5, row_of(Rank{0}))},
         Suspicion::awaited,
         1,
         "the ranks of this node wait for each other, rank 1 (data=0,pipe=1,tensor=0) longest for "
         "5.0 s: step 12, works, waits for rank 0"},
        {"all wait, for ranks of another node, too",
         {rank(0, 4, row_of(Rank{1})), rank(1, 5, all_of_4)},
         Suspicion::elsewhere,
         0,
         "all ranks of this node wait, also for ranks of other nodes, and none has moved for 3.0 "
         "s"},
        {"one that computes on this node, whatever the others wait for",
         {rank(0, 4, all_of_4), rank(1, 5, nobody)},
         Suspicion::busy,
         1,
         "rank 1 ("},
    };
    for (const Case& c : cases) {
        INFO(c.what);
        const Standstill s = standstill(c.ranks);
        const auto found = blame(s);
        REQUIRE(found);
        CHECK(found->suspicion == c.suspicion);
        if (c.suspicion != Suspicion::elsewhere) CHECK(found->rank == Rank{c.rank});
        CHECK_THAT(headline(s, words), Catch::StartsWith(c.said));
    }
}

TEST_CASE("a rank that has posted nothing is the one that did not move") {
    RankState silent = rank(1, 0, nobody);
    silent.posts.clear();
    const Standstill s = standstill({rank(0, 4, nobody), silent});
    CHECK(blame(s)->rank == Rank{1});
    CHECK_THAT(headline(s, words),
               Catch::Contains("rank 1 (") && Catch::EndsWith("nothing so far"));
    CHECK_FALSE(blame(standstill({})));
}

TEST_CASE("a report says of every rank what it does, since when, and what it did before") {
    RankState mover = rank(0, 4, row_of(Rank{1}));
    mover.posts.insert(mover.posts.begin(),
                       {Activity{.step = 11, .source = 1}, 95 * second, 97 * second});
    const std::string said = report(standstill({mover, rank(1, 5, nobody, 4)}), words);
    CHECK_THAT(said, Catch::StartsWith("rank 1 (data=0,pipe=1,tensor=0) is stopped"));
    for (const char* line :
         {"today on here, limit 3.0 s, the job is ended after another 1.0 s\n",
          "\nrank 0 (data=0,pipe=0,tensor=0), process 4000: step 12, works, waits for rank 1, "
          "since "
          "4.0 s\n",
          "\nrank 1 (data=0,pipe=1,tensor=0), process 4001: step 12, works, since 5.0 s, does not "
          "run since 4.0 s\n",
          "\nlast actions of rank 0 (data=0,pipe=0,tensor=0), seconds before this report:\n"
          "        5.000000  step 11, works, input from rank 1\n"
          "        4.000000  step 12, works, waits for rank 1\n"})
        CHECK_THAT(said, Catch::Contains(line));
}

TEST_CASE("a standstill is told after its time, and ends the job after another") {
    StandstillDetector detector({.limit_s = 3, .grace_s = 1, .interval_s = 0.5});
    std::uint64_t progress = 1;
    bool told = false;
    const auto looks = [&](int times, bool takes_long = false, bool stopped = false) {
        Alarm last = Alarm::none;
        for (int i = 0; i < times && last == Alarm::none; ++i)
            last = detector.look({progress, takes_long, stopped, told}, 0.5);
        return last;
    };
    CHECK(looks(1) == Alarm::none);

    SECTION("nobody moves") {
        CHECK(looks(5) == Alarm::none);
        CHECK(looks(1) == Alarm::standstill);
        told = true;
        CHECK(looks(1) == Alarm::none);
        CHECK(looks(1) == Alarm::end);
    }
    SECTION("nobody tells it for a while") {
        CHECK(looks(5) == Alarm::none);
        for (int i = 0; i < 10; ++i) CHECK(looks(1) == Alarm::standstill);
        told = true;
        CHECK(looks(1) == Alarm::none);
        CHECK(looks(1) == Alarm::end);
    }
    SECTION("somebody moves in time, again and again") {
        for (int i = 0; i < 20; ++i, ++progress) CHECK(looks(5) == Alarm::none);
    }
    SECTION("somebody moves after all") {
        CHECK(looks(6) == Alarm::standstill);
        told = true;
        ++progress;
        CHECK(looks(1) == Alarm::over);
        told = false;
        CHECK(looks(5) == Alarm::none);
        CHECK(looks(1) == Alarm::standstill);
    }
    SECTION("another has told it, and they move before it is seen here") {
        told = true;
        ++progress;
        CHECK(looks(1) == Alarm::over);
    }
    SECTION("work that takes long has ten times as long") {
        CHECK(looks(59, true) == Alarm::none);
        CHECK(looks(1, true) == Alarm::standstill);
    }
    SECTION("but not for a process that does not run") {
        CHECK(looks(6, true, true) == Alarm::standstill);
    }
    SECTION("a time in which this process was suspended itself does not count") {
        for (int i = 0; i < 2; ++i) CHECK(detector.look({progress}, 3600) == Alarm::none);
        CHECK(detector.look({progress}, 3600) == Alarm::standstill);
    }
}
