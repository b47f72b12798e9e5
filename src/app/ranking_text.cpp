#include "ranking_text.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/report/gantt.hpp"
#include "civitas/strategy/reason.hpp"

#include <algorithm>
#include <array>
#include <iomanip>
#include <sstream>

namespace civitas::app {
namespace {

constexpr int mesh_width = 27;

std::string machine_in_words(const planner::MachineModel& r) {
    const std::string node = r.gpus == 0
                                 ? text("only CPUs, ", r.cores, " cores")
                                 : (r.gpus == 1 ? std::string("one GPU") : text(r.gpus, " GPUs"));
    return r.nodes == 1 ? node : text(r.nodes, " nodes, each ", node);
}

std::string saving_of(const planner::LayoutOptions& layout_options) {
    if (layout_options.redraw && layout_options.recompute) return "both";
    if (layout_options.redraw) return "redraw";
    return layout_options.recompute ? "recompute" : "-";
}

std::string shard_of(const planner::LayoutOptions& layout_options) {
    if (layout_options.shard == ShardLevel::none) return "-";
    return std::string(to_string(layout_options.shard));
}

void add_table(std::ostream& out, const strategy::Ranking& ranking) {
    double slowest = 0;  // which says the unit of all
    for (const strategy::Candidate& candidate : ranking.candidates)
        slowest = std::max(slowest, candidate.plan.seconds_of_step());
    constexpr std::array widths{14, 10, 11, 10, 10, 8};
    const auto line = [&](const std::string& mesh, const std::array<std::string, 6>& cells,
                          const std::string& last) {
        out << "  " << std::left << std::setw(mesh_width) << mesh;
        for (std::size_t i = 0; i < cells.size(); ++i) out << std::setw(widths.at(i)) << cells[i];
        out << last << '\n';
    };
    line("mesh", {"schedule", "D's order", "shard", "to save", "step", "bubble"}, "memory");
    for (const strategy::Candidate& candidate : ranking.candidates) {
        const planner::StepPlan& plan = candidate.plan;
        const bool pipe = plan.layout.mesh[Axis::pipe] > 1;
        line(to_string(plan.layout.mesh),
             {pipe ? planner::name_of(candidate.options.schedule) : "-",
              pipe ? std::string(to_string(candidate.options.placement)) : "-",
              shard_of(candidate.options), saving_of(candidate.options),
              report::time_text(plan.seconds_of_step(), slowest), percent(plan.step.bubble())},
             megabytes(plan.peak_bytes()));
    }
    for (const strategy::Rejected& rejected : ranking.rejected)
        out << "  " << std::left << std::setw(mesh_width) << to_string(rejected.mesh)
            << "does not fit: " << rejected.why << '\n';
}

}  // namespace

std::string to_text(const strategy::Ranking& ranking, const planner::CostModel& model) {
    std::ostringstream out;
    const planner::Workload& workload = model.workload();
    const int ranks = model.ranks();
    out << workload.name << ", " << to_string(workload.precision) << ", batch " << workload.batch
        << " in " << counted(workload.micro_batches(), "micro-batch", "micro-batches")
        << "; resources: " << machine_in_words(model.machine()) << ":\n";
    add_table(out, ranking);
    if (ranking.candidates.empty()) return out.str();
    const strategy::Candidate& best = ranking.candidates.front();
    out << "\nStrategy for " << ranks << (ranks == 1 ? " rank: " : " ranks: ") << strategy_of(best)
        << ".\n"
        << explain(ranking, model);
    return out.str();
}

}  // namespace civitas::app
