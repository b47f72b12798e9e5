#include "civitas/population/table.hpp"

#include "population/best_link.hpp"
#include "support/temporary.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>

using namespace civitas;
using population::Ending;
using population::Figures;

namespace {

const auto plans = population::comparison_of(TaskKind::gan);

Ending done(double distance) {
    return {Exit::done, "", 20, Figures{0.25, 0.125, distance, 31.5, 0.3}};
}

const Ending failed{Exit::error, "pass D.real, micro-batch 1: loss is nan. Hint: smaller.", 7, {}};
const Ending stopped{Exit::stopped, "", 9, {}};
const Ending refused{Exit::usage, "no such net", 0, {}};

}  // namespace

TEST_CASE("the smallest distance is the best, the first of equals") {
    CHECK(population::best_of(plans, {done(50), done(40), done(40)}) == 1U);
    CHECK(population::best_of(plans, {failed, done(40)}) == 1U);
    CHECK(population::best_of(plans, {done(std::nan("")), done(90)}) == 1U);
    CHECK_FALSE(population::best_of(plans, {failed, stopped}));
}

TEST_CASE("a job is stopped where a member can go on, else it has the code of the first error") {
    CHECK(population::exit_of({done(1), done(2)}) == Exit::done);
    CHECK(population::exit_of({done(1), stopped}) == Exit::stopped);
    CHECK(population::exit_of({refused, stopped, failed}) == Exit::stopped);
    CHECK(population::exit_of({done(1), failed, refused}) == Exit::error);
    CHECK(population::exit_of({done(1), refused}) == Exit::usage);
}

TEST_CASE("the table has what varies, how far each member came, its end and its figures") {
    const auto members = population::members_of({"p", 3, {"generator-lr=1e-4,2e-4,1"}});
    const std::string table =
        population::table_of(plans, members, {done(62.25), done(53.5), failed});
    INFO(table);
    CHECK(table.starts_with(
        "member  generator-lr  steps  building   road  distance  floor  difference  end\n"
        "     1          1e-4     20     0.250  0.125      62.2   31.5       0.300  done\n"
        "     2          2e-4     20     0.250  0.125      53.5   31.5       0.300  done\n"
        "     3             1      7         -      -         -      -           -  "
        "failed: pass D.real, micro-batch 1: loss is nan.\n"
        "best: member 2\n"));
    CHECK_THAT(population::table_of(plans, members, {failed, failed, failed}),
               Catch::Contains("best: none\n"));
}

TEST_CASE("classifiers are compared by their loss on the test tiles") {
    const auto scores = population::comparison_of(TaskKind::classify);
    const Ending good{Exit::done, "", 20, Figures{0.25, 0.875, 1}};
    const Ending sure{Exit::done, "", 20, Figures{0.5, 0.9375, 1}};
    CHECK(population::best_of(scores, {sure, good}) == 1U);
    const auto members = population::members_of({"p", 2, {"classifier-lr=0.1,0.01"}});
    CHECK(population::table_of(scores, members, {sure, good}) ==
          "member  classifier-lr  steps   loss  top-1  top-5  end\n"
          "     1            0.1     20  0.500  0.938  1.000  done\n"
          "     2           0.01     20  0.250  0.875  1.000  done\n"
          "best: member 2\n"
          "loss, top-1, top-5: of the test tiles after the last step\n");
}

TEST_CASE("the link to the best is relative, and takes the place of one that is there") {
    const test::TemporaryFolder folder("best");
    population::link_best(folder.path(), "2");
    CHECK(std::filesystem::read_symlink(folder.path() / "best") == "2");
    // What a process that was ended has left.
    std::filesystem::create_symlink("7", folder.path() / "best.part");
    population::link_best(folder.path(), "1");
    CHECK(std::filesystem::read_symlink(folder.path() / "best") == "1");
    CHECK_FALSE(
        std::filesystem::exists(std::filesystem::symlink_status(folder.path() / "best.part")));
    std::filesystem::remove(folder.path() / "best");
    std::ofstream(folder.path() / "best") << "mine";
    CHECK_THROWS_WITH(population::link_best(folder.path(), "1"), Catch::Contains("is no link"));
    CHECK(std::filesystem::is_regular_file(folder.path() / "best"));
}
