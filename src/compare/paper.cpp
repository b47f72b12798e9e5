#include "civitas/compare/paper.hpp"

#include "civitas/planner/bounds.hpp"
#include "civitas/strategy/fitting.hpp"

namespace civitas::compare {
namespace {

Predicted predicted_of(const Strategy& s, const planner::Workload& workload,
                       const planner::StepPlan& plan) {
    const auto& served = workload.served_model;
    const double at_once = s.is_by_itself() && !served ? s.ranks : 1;
    const double seconds = plan.seconds_of_step();
    const auto tiles = static_cast<double>(workload.batch * (served ? served->parts : 1));
    return {.seconds = s.update == UpdateKind::async ? seconds / at_once : seconds,
            .tiles_per_second = at_once * tiles / seconds,
            .bytes = plan.peak_bytes(),
            .waiting = plan.layout.mesh[Axis::pipe] > 1 ? plan.step.bubble() : 0,
            .cuts = plan.cuts};
}

}  // namespace

std::vector<Rank> first_ranks(int count) {
    std::vector<Rank> ranks;
    for (const Rank rank : each<Rank>(count)) ranks.push_back(rank);
    return ranks;
}

std::string without_hint(const std::string& message) {
    return message.substr(0, message.find(". Hint"));
}

std::string hint_of(const std::string& message) {
    constexpr std::string_view before = ". Hint: ";
    const auto at = message.find(before);
    return at == std::string::npos ? "" : message.substr(at + before.size());
}

OnPaper refused_by(const UsageError& error) {
    return {.why_not = without_hint(error.what()), .hint = hint_of(error.what())};
}

planner::CostModel estimate_of(const Strategy& s, const planner::Configuration& c,
                               const PaperJob& job) {
    planner::MachineModel machine = job.machine;
    const NodeMap nodes = job.nodes.of(first_ranks(s.ranks));
    machine.nodes = nodes.nodes();
    if (s.is_by_itself()) {
        planner::Configuration own = c;
        own.update.nodes = nodes;
        return {planner::workload_of(own),
                planner::part_of_node(machine, machine.ranks_of_node(s.ranks)),
                NodeMap::filled(1, 1)};
    }
    return {planner::workload_of(c), machine, nodes, s.replicas};
}

OnPaper on_paper(const Strategy& s, const planner::Configuration& c,
                 const planner::CostModel& model) {
    if (s.offload == Offload::host && !planner::computes_on_gpus(model, c.layout_options))
        return {.why_not = "ranks that compute on CPUs have all in host memory anyway"};
    if (s.update == UpdateKind::server && planner::computes_on_gpus(model, c.layout_options))
        return {.why_not = "servers have weights in host memory, and workers compute on CPUs"};
    try {
        const MeshShape mesh = s.is_by_itself() ? MeshShape{} : s.mesh;
        if (s.update != UpdateKind::sync && c.problem.sync_batch_norm)
            return {.why_not = "ranks that do not wait for each other cannot normalise together"};
        planner::check_chunks(c.problem, c.layout_options);
        planner::check_sharing(c.problem, c.layout_options);
        planner::check_replica_threads(c.layout_options);
        planner::check_batch(model.workload(), mesh);
        const strategy::Fitted fitted =
            strategy::fitted_plan(model, c.layout_options, mesh, planner::SearchBudget::compare);
        if (!fitted.lacks.empty()) return {.why_not = fitted.lacks};
        return {.predicted = predicted_of(s, model.workload(), fitted.plan)};
    } catch (const UsageError& e) {
        return refused_by(e);
    }
}

}  // namespace civitas::compare
