#include "bits.hpp"
#include "layouts.hpp"
#include "support/agree.hpp"

#include "civitas/planner/step_plan.hpp"

// A net with residual blocks and one with dropout, learnt by SGD, end on other layouts with the
// bits of one rank, in the bytes that were planned.

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
