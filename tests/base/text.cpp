#include "civitas/base/text.hpp"

#include <catch2/catch.hpp>

using namespace civitas;

TEST_CASE("the nearest known word is found, and none when nothing is near") {
    const std::vector<std::string> known = {"batch", "micro-batch", "steps", "seed"};
    CHECK(nearest("bacth", known) == "batch");
    CHECK(nearest("step", known) == "steps");
    CHECK(nearest("microbatch", known) == "micro-batch");
    CHECK(nearest("sed", known) == "seed");
    CHECK(!nearest("zzzzzzzz", known));
    CHECK(!nearest("anything", {}));
}
