#include "civitas/planner/step_plan.hpp"

#include "civitas/planner/bounds.hpp"

#include <algorithm>

namespace civitas::planner {
namespace {

using schedule::Net;

/// Bytes that a rank sends along the data axis in a step.
std::int64_t reduced_bytes(const Configuration& c, const Setting& setting, int coordinate) {
    const auto& gan = c.problem.gan();
    const auto values = value_bytes(c.problem.precision);
    std::int64_t reduced = 0;
    for (const Net which : {Net::generator, Net::discriminator})
        reduced += schedule::reduction_bytes(
            net::parameter_count(held_layers(gan, setting, which, coordinate)) * values.master,
            leaves_of(c.problem, setting, which).passes, setting.mesh[Axis::data]);
    return reduced;
}

}  // namespace

std::int64_t Plan::peak_bytes() const {
    std::int64_t most = 0;
    for (const RankMemory& rank : memory) most = std::max(most, rank.sum());
    return most;
}

Plan plan_of(const Configuration& c, Setting setting, const Resources& resources,
             LayerSeconds seconds) {
    Plan plan;
    plan.setting = std::move(setting);
    plan.seconds = std::move(seconds);
    plan.costs = costs_of(plan.setting, c, resources, plan.seconds);
    plan.step = schedule::simulate(plan.setting.schedule, plan.costs);
    for (int at = 0; at < plan.setting.mesh[Axis::pipe]; ++at) {
        plan.memory.push_back(rank_memory(c, plan.setting, resources, plan.costs, at));
        plan.reduced_bytes.push_back(reduced_bytes(c, plan.setting, at));
        plan.exchanges.push_back(schedule::exchange_traffic(plan.setting.schedule, at, plan.costs));
    }
    plan.cuts = schedule::cut_traffic(plan.setting.schedule, plan.costs);
    return plan;
}

Plan make_plan(const Configuration& c, MeshShape mesh, const Resources& resources,
               LayerSeconds seconds, Effort effort) {
    Setting setting;
    setting.mesh = mesh;
    check_batch(c.problem, mesh);
    lay_out(setting, c, resources, seconds, effort);
    return plan_of(c, std::move(setting), resources, std::move(seconds));
}

}  // namespace civitas::planner
