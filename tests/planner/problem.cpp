// What is learnt, without how it is laid out: lengths, work, and batches that can be shared.
#include "civitas/planner/bounds.hpp"
#include "civitas/schedule/gan.hpp"

#include <catch2/catch.hpp>

using namespace civitas;
using namespace civitas::planner;

TEST_CASE("a batch that cannot be shared is refused with both numbers") {
    Problem problem;
    problem.micro_batch = 16;
    problem.batch = 30;
    CHECK_THROWS_WITH(
        check_batch(workload_of(problem, {}), {{Axis::data, 1}}),
        "a batch of 30 tiles cannot be cut into micro-batches of 16. Hint: --batch 32, or "
        "--micro-batch 2.");
    problem.batch = 32;
    CHECK_THROWS_WITH(check_batch(workload_of(problem, {}), {{Axis::data, 3}}),
                      Catch::Contains("2 micro-batches of 16, cannot be shared by 3 ranks") &&
                          Catch::Contains("Hint: --batch 48, a smaller --micro-batch, or another "
                                          "--mesh: civitas plan --ranks 3, with the same nets "
                                          "and batch, compares them"));
    problem.batch = 16;
    CHECK_THROWS_WITH(check_batch(workload_of(problem, {}), {{Axis::data, 2}}),
                      Catch::Contains("16 tiles, 1 micro-batch of 16, cannot"));
}

TEST_CASE("steps follow from epochs") {
    RunOptions run_options;
    Problem problem;
    CHECK(total_steps(run_options, problem, 1000) == 1000);
    run_options.epochs = 2;
    CHECK(total_steps(run_options, problem, 1000) == 250);  // 2000 samples of 8
    CHECK(total_steps(run_options, problem, 1001) == 251);  // the last batch begun
}

TEST_CASE("the work of a step is that of the nets") {
    // dcgan-64: 2 x 104 M multiply-adds in G (without the last layer's 3 channels: 100.7 M).
    Problem problem;
    problem.nets = Nets({.net = "dcgan-64", .generator_widths = {512, 256, 128, 64}});
    problem.batch = 1;
    const auto nets = problem.nets;
    const double flops = workload_of(problem, {}).flops();
    CHECK(flops > 11 * 2 * 100e6);
    CHECK(flops < 11 * 2 * 112e6);
    // The first layers: 1.6 M multiply-adds in G (100 to 512 channels of 4 x 4) and 3.1 M in D (3
    // to 64 channels of 32 x 32, 4 x 4 each), whose B is left out where nobody asks for it.
    const double first_layers = 2.0 * 100 * 512 * 16 + 2 * 2.0 * 3 * 64 * 1024 * 16;
    double layers = 0;
    for (const auto* net : {&nets[schedule::gan::generator], &nets[schedule::gan::discriminator]}) {
        const auto shapes = net::shapes_of(*net);
        for (std::size_t i = 0; i < net->layers.size(); ++i)
            layers += (net == &nets[schedule::gan::generator] ? 3 : 8) *
                      net::forward_flops(net->layers[i], shapes[i]);
    }
    CHECK(flops == layers - first_layers);
}
