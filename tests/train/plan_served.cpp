#include "civitas/planner/step_plan.hpp"
#include "civitas/steps/held_bytes.hpp"
#include "train/served_run.hpp"

// What is planned for ranks where servers keep the weights against what they have after real steps.

using namespace civitas;
using namespace civitas::steps;
using namespace civitas::train::served;

namespace {

planner::RankMemory planned_for(const planner::Configuration& c,
                                const planner::ExecutionLayout& layout) {
    const planner::CostModel model(planner::workload_of(c), planner::MachineModel{}, 1);
    return planner::plan_of(model, layout).memory.at(0);
}

report::HeldBytes held(const Served& ours) {
    report::HeldBytes all;
    for (const auto& net : ours.models.all()) all += held_by(*net);
    return all;
}

}  // namespace

TEST_CASE("what servers and workers keep and stand ready for is by formula so much") {
    const torch::NoGradGuard quiet;
    const auto world = comm::Communicator::world();
    for (const int servers : numbers_of_servers(world.size()))
        for (const std::int64_t max_staleness : {0, 1})
            for (const char* precision : {"fp32", "bf16", "fp64"}) {
                planner::Configuration c = run_with(world, servers, max_staleness);
                c.problem.precision = net::parse_precision(precision);
                const auto ours = run_served(world, c, 2);
                const planner::RankMemory planned = planned_for(c, ours->layout);
                const report::HeldBytes counted = held(*ours);
                CAPTURE(servers, max_staleness, precision, world.rank());
                CHECK(planned.nets.parameters == counted.parameters);
                CHECK(planned.nets.moments == counted.moments);
                CHECK(planned.nets.mean == counted.mean);
                CHECK(planned.messages == counted.messages);
                CHECK(planned.activations == ours->executor.replicas().peak_bytes());
                if (max_staleness == 0)
                    CHECK(planned.nets.gradients == counted.gradients);
                else
                    CHECK(planned.nets.gradients >= counted.gradients);
                REQUIRE_ALL(world, planned.nets.moments == counted.moments);
            }
}

TEST_CASE("what servers keep for SGD, with one moment or none, is by formula so much") {
    const torch::NoGradGuard quiet;
    const auto world = comm::Communicator::world();
    for (const double momentum : {0.9, 0.0}) {
        planner::Configuration c = run_with(world, 0, 0);
        c.hyperparameters.optimizer = OptimizerKind::sgd;
        c.hyperparameters.momentum = momentum;
        c.hyperparameters.ema = 0;
        const auto ours = run_served(world, c, 1);
        const planner::RankMemory planned = planned_for(c, ours->layout);
        const report::HeldBytes counted = held(*ours);
        CHECK(planned.nets.moments == counted.moments);
        CHECK((counted.moments > 0) == (momentum > 0));
        CHECK((planned.nets.mean == 0 && counted.mean == 0));
        CHECK(planned.messages == counted.messages);
    }
}
