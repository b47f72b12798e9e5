#include "cli/origin.hpp"

#include <catch2/catch.hpp>
#include <sstream>

namespace civitas::cli {
namespace {

std::vector<IniLine> lines_of_file() {
    std::istringstream file(
        "batch = 30\nmicro-batch = 16\nsteps = 5\nepochs = 2\nmesh = data=3,pipe=2\n");
    return read_ini(file, "a.ini");
}

std::string told(const std::string& error) { return with_origin(error, lines_of_file()); }

}  // namespace

TEST_CASE("the lines of a file that an error is about are told before its hint") {
    CHECK(told("a batch of 30 tiles cannot be cut into micro-batches of 16. Hint: --batch 32.") ==
          "a batch of 30 tiles cannot be cut into micro-batches of 16 (a.ini:1: batch = 30, "
          "a.ini:2: micro-batch = 16). Hint: --batch 32.");
    CHECK(told("--steps and --epochs are both given") ==
          "--steps and --epochs are both given (a.ini:3: steps = 5, a.ini:4: epochs = 2)");
    CHECK(told("mesh data=3,pipe=2,tensor=1 needs 6 ranks, the job has 2") ==
          "mesh data=3,pipe=2,tensor=1 needs 6 ranks, the job has 2 (a.ini:5: mesh = data=3,"
          "pipe=2)");
}

TEST_CASE("other lines, other words and other numbers are not told") {
    for (const std::string error :
         {"a batch of 300 tiles", "a batch of 30.5 tiles", "batch-size 30", "the steps of a stair",
          "no room. Hint: --batch 30.", "a.ini:1: batch = 30: too many", ""})
        CHECK(told(error) == error);
}

TEST_CASE("what the command line says is not the file's") {
    CHECK(in_force(lines_of_file(), {"train", "--batch=8", "--steps", "4"}).size() == 3);
    CHECK(config_of({"civitas", "train", "--config", "a.ini"}) == "a.ini");
    CHECK(config_of({"civitas", "--config=b.ini"}) == "b.ini");
    CHECK(config_of({"civitas", "--config"}).empty());
    CHECK(config_of({"civitas", "config", "c.ini"}).empty());
}

}  // namespace civitas::cli
