#include "civitas/planner/step_plan.hpp"

#include "civitas/planner/bounds.hpp"

#include <algorithm>

namespace civitas::planner {
namespace {

using schedule::Net;

/// Bytes that a rank sends along the data axis in a step.
std::int64_t reduced_bytes(const Configuration& c, const ExecutionLayout& layout, int coordinate) {
    const auto& gan = c.problem.gan();
    const auto values = value_bytes(c.problem.precision);
    std::int64_t reduced = 0;
    for (const Net which : {Net::generator, Net::discriminator})
        reduced += schedule::reduction_bytes(
            net::parameter_count(local_layers(gan, layout, which, coordinate)) * values.master,
            leaves_of(c.problem, layout, which).passes, layout.mesh[Axis::data]);
    return reduced;
}

}  // namespace

std::int64_t StepPlan::peak_bytes() const {
    std::int64_t most = 0;
    for (const RankMemory& rank : memory) most = std::max(most, rank.sum());
    return most;
}

StepPlan plan_of(const Configuration& c, ExecutionLayout layout, const MachineModel& machine,
                 LayerTimings timings) {
    StepPlan plan;
    plan.layout = std::move(layout);
    plan.timings = std::move(timings);
    plan.costs = costs_of(plan.layout, c, machine, plan.timings);
    plan.step = schedule::simulate(plan.layout.schedule, plan.costs);
    for (int at = 0; at < plan.layout.mesh[Axis::pipe]; ++at) {
        plan.memory.push_back(rank_memory(c, plan.layout, machine, plan.costs, at));
        plan.reduced_bytes.push_back(reduced_bytes(c, plan.layout, at));
        plan.exchanges.push_back(schedule::exchange_traffic(plan.layout.schedule, at, plan.costs));
    }
    plan.cuts = schedule::cut_traffic(plan.layout.schedule, plan.costs);
    return plan;
}

StepPlan make_plan(const Configuration& c, MeshShape mesh, const MachineModel& machine,
                   LayerTimings timings, SearchBudget budget) {
    ExecutionLayout layout;
    layout.mesh = mesh;
    check_batch(c.problem, mesh);
    lay_out(layout, c, machine, timings, budget);
    return plan_of(c, std::move(layout), machine, std::move(timings));
}

}  // namespace civitas::planner
