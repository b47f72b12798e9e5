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

TEST_CASE("steps are named so that names sort, sizes are rounded") {
    CHECK(step_name(StepIndex{1200}) == "step-00001200");
    CHECK(step_name(StepIndex{1234567890}) == "step-1234567890");
    CHECK(megabytes(90'450'001) == "90.5 MB");
    CHECK(megabytes(0) == "0.0 MB");
    CHECK(millions(3'576'704) == "3.58 M");
    CHECK(percent(0.1257) == "12.6 %");
}

TEST_CASE("one of a thing has another word than many") {
    CHECK(counted(1, "micro-batch", "micro-batches") == "1 micro-batch");
    CHECK(counted(0, "part", "parts") == "0 parts");
    CHECK(counted(12, "part", "parts") == "12 parts");
}

TEST_CASE("items are joined, as they are or by what is made of them") {
    CHECK(join(std::vector<int>{}, ",").empty());
    CHECK(join(std::vector{512}, ",") == "512");
    CHECK(join(std::vector{512, 256, 128}, ",") == "512,256,128");
    CHECK(join(std::vector{0.5, 0.25}, " x ", [](double share) { return percent(share); }) ==
          "50.0 % x 25.0 %");
}
