#include "bits.hpp"
#include "layouts.hpp"
#include "support/agree.hpp"

#include "civitas/base/clock.hpp"
#include "civitas/planner/step_plan.hpp"

#include <iostream>

// A net with residual blocks and one with dropout, learnt by SGD, end on other layouts with the
// bits of one rank, in the bytes that were planned; tests/full.sh runs all layouts of the former.

using namespace civitas;
using namespace civitas::tasks;
using namespace civitas::tasks::runs;

namespace {

constexpr int few = 2;  // steps

planner::Configuration classifier_run(const std::string& net, std::int64_t pixels) {
    planner::Configuration c = small_run();
    c.problem.nets =
        planner::Nets({.task = TaskKind::classify, .net = net, .classes = 3, .pixels = pixels});
    c.problem.precision = net::Precision::fp32;
    c.hyperparameters.optimizer = OptimizerKind::sgd;
    c.hyperparameters.weight_decay = 1e-4;
    return c;
}

Bits alone(const comm::Communicator& world, const planner::Configuration& c) {
    std::string lines;
    if (world.is_root()) lines = lines_of(*run_ours(comm::Communicator::self(), c, few));
    std::istringstream all(world.broadcast(lines));
    Bits bits;
    for (std::string line; std::getline(all, line);) bits.insert(line);
    return bits;
}

void check(const comm::Communicator& world, const planner::Configuration& c,
           const std::vector<LayoutCase>& cases) {
    const Bits expected = alone(world, c);
    planner::Configuration other = c;
    other.problem.seed = 2;
    CHECK(difference(alone(world, other), expected) != "");
    for (const LayoutCase& layout : cases) {
        INFO(layout.name());
        planner::Configuration laid_out = layout.applied_to(c);
        laid_out.problem.precision = c.problem.precision;
        const auto run = run_ours(world, laid_out, few);
        CHECK(difference(bits_of(world, *run), expected) == "");
        const planner::CostModel model(
            planner::workload_of(laid_out.problem, laid_out.hyperparameters), {}, world.size());
        const planner::RankMemory memory =
            model.memory(run->layout, model.costs(run->layout), world.rank());
        CHECK(memory.activations == run->steps->replicas().peak_bytes());
        if (!shards_weights(layout.shard)) CHECK(memory.nets.sum() == run->models.bytes());
    }
}

std::vector<LayoutCase> cases_of(int ranks) {
    if (ranks == 2)
        return {{.data = 2, .shard = ShardLevel::parameters},
                {.pipe = 2, .schedule = "zero-bubble"},
                {.pipe = 2, .schedule = "1f1b", .recompute = true}};
    return {{.data = 2, .pipe = 2, .schedule = "interleaved:2", .shard = ShardLevel::optimizer},
            {.pipe = 4, .schedule = "gpipe", .recompute = true}};
}

/// Those of one net: with nothing to draw again and no order of nets; either precision in turn.
std::vector<LayoutCase> all_of(int ranks, std::int64_t micro_batches) {
    auto cases = all_layouts(micro_batches);
    std::erase_if(cases, [=](const LayoutCase& c) {
        const auto turn = static_cast<std::size_t>(c.shard) + (c.recompute ? 1 : 0) +
                          static_cast<std::size_t>(c.pipe) / 2 + c.schedule.size();
        return c.ranks() != ranks || c.redraw || c.reversed || c.schedule == "gan" ||
               (turn % 2 == 0) != (c.precision == "fp32");
    });
    return cases;
}

}  // namespace

TEST_CASE("residual blocks give the same bits on every layout") {
    const torch::NoGradGuard quiet;
    const auto world = comm::Communicator::world();
    check(world, classifier_run("resnet-18", 8), cases_of(world.size()));
}

TEST_CASE("dropout drops the same on every layout") {
    const torch::NoGradGuard quiet;
    const auto world = comm::Communicator::world();
    auto cases = cases_of(world.size());
    cases.erase(cases.begin());
    check(world, classifier_run("vgg-11", 32), cases);
}

TEST_CASE("all layouts of a classifier on this many ranks end with the bits of one rank",
          "[.full]") {
    const torch::NoGradGuard quiet;
    const auto world = comm::Communicator::world();
    constexpr std::int64_t eight = 8;
    planner::Configuration c = classifier_run("resnet-18", 8);
    c.problem.batch = c.problem.micro_batch * eight;
    std::map<std::string, Bits> expected;
    for (const char* precision : {"fp32", "bf16"}) {
        c.problem.precision = net::parse_precision(precision);
        expected[precision] = alone(world, c);
    }
    for (const LayoutCase& layout : all_of(world.size(), eight)) {
        const Stopwatch watch;
        const auto run = run_ours(world, layout.applied_to(c), few);
        const auto found = difference(bits_of(world, *run), expected.at(layout.precision));
        INFO(layout.name());
        CHECK(found == "");
        if (world.is_root())
            std::cout << layout.name() << " resnet-18"
                      << (found.empty() ? ": same, " : ": DIFFERENT, ") << watch.seconds() << " s"
                      << std::endl;
    }
}
