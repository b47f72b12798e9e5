#include "support/tensor.hpp"

#include "civitas/profiling/profile.hpp"
#include "support/temporary.hpp"

#include <fstream>

using namespace civitas;
using namespace civitas::profiling;

TEST_CASE("only steps that are far from their plan, and take time, let it be doubted") {
    CHECK_FALSE(is_far_off(1, 1.4));
    CHECK_FALSE(is_far_off(1, 0.7));
    CHECK(is_far_off(1, 1.6));
    CHECK(is_far_off(22, 9.6));
    CHECK_FALSE(is_far_off(0.001, 0.05));
}

TEST_CASE("a profile that steps are far from is forgotten, and only that") {
    const test::TemporaryFolder folder("doubt");
    const std::filesystem::path file = folder.path() / "profile.json";
    std::ofstream(file) << "{}";
    Log log(Rank{0});
    log.open(folder.path() / "log");
    doubt_profile(file, 1, 1.2, log);
    CHECK(std::filesystem::exists(file));
    doubt_profile(file, 1, 3, log);
    CHECK_FALSE(std::filesystem::exists(file));
    CHECK_THAT(test::content(folder.path() / "log"),
               Catch::Contains("a step takes 3 s, 1 s were planned: the layers are timed again"));
}

TEST_CASE("nothing is told of layers that are timed again where they never were") {
    const test::TemporaryFolder folder("doubt");
    const std::filesystem::path file = folder.path() / "profile.json";
    Log log(Rank{0});
    log.open(folder.path() / "log");
    std::ofstream(file) << to_json({.of = "a net, estimated",
                                    .timings = {{{{{1, 1, 1}}}}},
                                    .memory_rate = 1e10,
                                    .link_rate = 5e9,
                                    .link_latency = 1e-6});
    doubt_profile(file, 1, 3, log);
    CHECK(std::filesystem::exists(file));
    CHECK(test::content(folder.path() / "log").empty());
}

TEST_CASE("times of images of another size, or of another number of classes, are of other nets") {
    const auto words = [](std::int64_t pixels, std::int64_t classes) {
        planner::Configuration c;
        c.problem.nets = planner::Nets(
            {.task = TaskKind::classify, .net = "resnet-18", .classes = classes, .pixels = pixels});
        return c.problem;
    };
    Profile profile;
    profile.of =
        "civitas, resnet-18, 32 px, 10 classes, condition none, nz 0, widths  and , colour, fp32, "
        "fast kernels (), micro-batch 4, noise 0";
    CHECK(is_of_nets(profile, words(32, 10)));
    CHECK_FALSE(is_of_nets(profile, words(64, 10)));
    CHECK_FALSE(is_of_nets(profile, words(32, 4)));
}
