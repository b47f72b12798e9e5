#include "civitas/planner/step_plan.hpp"

#include "civitas/base/text.hpp"
#include "civitas/planner/bounds.hpp"
#include "civitas/planner/served_seconds.hpp"

#include <algorithm>
#include <iomanip>
#include <sstream>
#include <utility>

namespace civitas::planner {

const RankMemory& StepPlan::largest_memory() const {
    return *std::max_element(
        memory.begin(), memory.end(),
        [](const RankMemory& a, const RankMemory& b) { return a.sum() < b.sum(); });
}

double StepPlan::seconds_of_step() const {
    if (!served) return step.makespan_s;
    double once_s = 0;
    for (const auto& stages : costs.nets)
        for (const schedule::StageCosts& stage : stages) once_s += stage.step_s;
    return step_seconds(*served, step.makespan_s, once_s);
}

StepPlan plan_without_times(const CostModel& model, ExecutionLayout layout) {
    StepPlan plan;
    plan.layout = std::move(layout);
    plan.served = model.workload().served_model;
    plan.costs = model.costs(plan.layout);
    for (const PipeCoordinate at : each<PipeCoordinate>(plan.layout.mesh[Axis::pipe])) {
        plan.memory.push_back(model.memory(plan.layout, plan.costs, at));
        plan.reduced_bytes.push_back(model.reduced_bytes(plan.layout, plan.costs, at));
        plan.exchanges.push_back(schedule::exchange_traffic(plan.layout.schedule, at, plan.costs));
    }
    plan.cuts = schedule::cut_traffic(plan.layout.schedule, plan.costs);
    return plan;
}

StepPlan plan_of(const CostModel& model, ExecutionLayout layout) {
    StepPlan plan = plan_without_times(model, std::move(layout));
    plan.step = schedule::simulate(plan.layout.schedule, plan.costs);
    return plan;
}

StepPlan make_plan(const CostModel& model, const LayoutOptions& options, MeshShape mesh,
                   SearchBudget budget) {
    check_batch(model.workload(), mesh);
    return plan_of(model, lay_out(model, options, mesh, budget).layout);
}

std::string in_words(const StepPlan& plan) {
    std::ostringstream line;
    line << std::setprecision(3) << "a step should take " << plan.seconds_of_step() << " s and "
         << megabytes(plan.peak_bytes()) << " a rank";
    if (plan.layout.mesh[Axis::pipe] > 1) line << ", bubble " << 100 * plan.step.bubble() << " %";
    return line.str();
}

}  // namespace civitas::planner
