#include "civitas/population/members.hpp"

#include "civitas/base/error.hpp"
#include "civitas/io/files.hpp"
#include "civitas/population/start.hpp"
#include "support/temporary.hpp"

#include <catch2/catch.hpp>

using namespace civitas;
using population::Member;
using population::Request;
using population::Setting;

namespace {

std::string refused(const Request& request) {
    try {
        (void)population::members_of(request);
    } catch (const UsageError& e) {
        return e.what();
    }
    return "accepted";
}

std::string ranks_refused(int ranks, std::int64_t members) {
    try {
        (void)population::Groups(ranks, members);
    } catch (const UsageError& e) {
        return e.what();
    }
    return "accepted";
}

}  // namespace

TEST_CASE("members differ in what varies, each in a folder of its own") {
    const auto members =
        population::members_of({"runs/p", 2, {"generator-lr=1e-4,2e-4", "loss=bce,hinge"}, 5});
    REQUIRE(members.size() == 2);
    CHECK(members[0].run == "runs/p/1");
    CHECK(members[1].run == "runs/p/2");
    CHECK(members[0].settings == std::vector<Setting>{{"generator-lr", "1e-4"}, {"loss", "bce"}});
    CHECK(members[1].settings == std::vector<Setting>{{"generator-lr", "2e-4"}, {"loss", "hinge"}});
    CHECK(population::name_of(members[1]) == "member 2");
}

TEST_CASE("where nothing is said to vary the seeds do") {
    const auto members = population::members_of({"p", 3, {}, 7});
    REQUIRE(members.size() == 3);
    CHECK(members[0].settings == std::vector<Setting>{{"seed", "7"}});
    CHECK(members[2].settings == std::vector<Setting>{{"seed", "9"}});
}

TEST_CASE("what cannot vary is refused with a hint") {
    CHECK(refused({"p", 2, {"generator-lr"}}) ==
          "--vary generator-lr: expected NAME=V1,V2,... Hint: --vary generator-lr=1e-4,2e-4.");
    CHECK_THAT(refused({"p", 2, {"=1,2"}}), Catch::Contains("expected NAME="));
    CHECK(
        refused({"p", 2, {"generator-rl=1,2"}}) ==
        "--vary generator-rl=1,2: generator-rl is no option that members may differ in. Hint: did "
        "you mean generator-lr?");
    for (const char* option : {"mesh", "run", "tiles", "batch", "steps", "population"})
        CHECK_THAT(
            refused({"p", 2, {text(option, "=1,2")}}),
            Catch::Contains("no option that members may differ in") && Catch::Contains("Hint: "));
    CHECK(refused({"p", 3, {"ema=0,0.9"}}) ==
          "--vary ema=0,0.9 has 2 values for 3 members. Hint: a value for each member, or "
          "--population 2.");
    CHECK_THAT(refused({"p", 2, {"ema=0.9"}}), Catch::Contains("has 1 value for 2 members"));
    CHECK_THAT(refused({"p", 2, {"ema=0.9,"}}), Catch::Contains("the value of member 2 is empty"));
    CHECK_THAT(refused({"p", 2, {"ema=0,0.9", "ema=0,0.8"}}), Catch::Contains("varies already"));
}

TEST_CASE("ranks are shared out in equal groups of neighbours") {
    const population::Groups groups(6, 3);
    CHECK(groups.ranks_of(2) == 2);
    CHECK(groups.ranks() == 6);
    CHECK_FALSE(groups.group_of(Rank{6}));
    CHECK(groups.group_of(Rank{0}) == 0);
    CHECK(groups.group_of(Rank{1}) == 0);
    CHECK(groups.group_of(Rank{5}) == 2);
    CHECK(groups.first_rank(2) == Rank{4});
    const auto sizes = [](std::int64_t parts, int ranks, std::size_t members) {
        const auto found = population::Groups::dividing(parts, ranks, members);
        std::vector<int> all;
        for (std::size_t group = 0; group < found.size(); ++group) {
            all.push_back(found.ranks_of(group));
            CHECK(found.group_of(found.first_rank(group)) == group);
        }
        return all;
    };
    CHECK(sizes(4, 6, 2) == std::vector{4, 2});
    CHECK(sizes(2, 6, 2) == std::vector{2, 2});
    CHECK(sizes(6, 9, 2) == std::vector{6, 3});
    CHECK(sizes(6, 5, 2) == std::vector{3, 2});
    CHECK(sizes(8, 3, 3) == std::vector{1, 1, 1});
    CHECK(sizes(8, 3, 0).empty());
    CHECK(population::Groups::dividing(2, 6, 2).group_of(Rank{3}) == 1);
    CHECK_FALSE(population::Groups::dividing(2, 6, 2).group_of(Rank{4}));
    CHECK(ranks_refused(5, 2) ==
          "--population 2: the job has 5 ranks, which is no multiple of it: every member has as "
          "many. Hint: mpirun -n 4 or 6.");
    CHECK(ranks_refused(1, 3) ==
          "--population 3: the job has 1 rank, which is no multiple of it: every member has as "
          "many. Hint: mpirun -n 3.");
    CHECK(ranks_refused(3, 3) == "accepted");
}

TEST_CASE("a member goes on with what `auto` stood for when it began, and with nothing else") {
    const test::TemporaryFolder folder("members-begun");
    const Member member{.number = 1, .run = folder.path(), .settings = {{"lr-schedule", "auto"}}};
    planner::Configuration resolved;
    resolved.resolved = "lr-schedule = constant\n";
    CHECK_NOTHROW(population::require_same(member, resolved));  // it has not begun
    io::write_text_file(folder.path() / "config.ini", resolved.resolved);
    CHECK_NOTHROW(population::require_same(member, resolved));
    resolved.resolved = "lr-schedule = cosine\n";
    CHECK_THROWS_WITH(population::require_same(member, resolved),
                      Catch::Contains("was begun with lr-schedule = constant, and is to go on with "
                                      "cosine. Hint: the --vary of its first start"));
}
