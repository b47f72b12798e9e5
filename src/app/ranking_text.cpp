#include "ranking_text.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/report/gantt.hpp"

#include <array>
#include <cmath>
#include <iomanip>
#include <sstream>

namespace civitas::app {
namespace {

constexpr int mesh_width = 25;

std::string resources_in_words(const planner::Resources& r) {
    const std::string node = r.gpus == 0
                                 ? text("only CPUs, ", r.cores, " cores")
                                 : (r.gpus == 1 ? std::string("one GPU") : text(r.gpus, " GPUs"));
    return r.nodes == 1 ? node : text(r.nodes, " nodes, each ", node);
}

std::string saving_of(const planner::LayoutOptions& layout) {
    if (layout.redraw && layout.recompute) return "both";
    if (layout.redraw) return "redraw";
    return layout.recompute ? "recompute" : "-";
}

void add_table(std::ostream& out, const planner::Ranking& ranking,
               const planner::Problem& problem) {
    constexpr std::array widths{14, 10, 11, 10, 9, 9};
    const auto line = [&](const std::string& mesh, const std::array<std::string, 6>& cells,
                          const std::string& last) {
        out << "  " << std::left << std::setw(mesh_width) << mesh;
        for (std::size_t i = 0; i < cells.size(); ++i) out << std::setw(widths.at(i)) << cells[i];
        out << last << '\n';
    };
    line("mesh", {"schedule", "D's order", "to save", "step", "tiles/s", "bubble"}, "memory");
    for (const planner::Offer& offer : ranking.offers) {
        const planner::Plan& plan = offer.plan;
        const bool pipe = plan.setting.mesh[Axis::pipe] > 1;
        const double seconds = plan.seconds_of_step();
        line(to_string(plan.setting.mesh),
             {pipe ? planner::name_of(offer.layout.schedule) : "-",
              pipe ? std::string(to_string(offer.layout.placement)) : "-", saving_of(offer.layout),
              report::time_text(seconds, seconds),
              text(std::lround(static_cast<double>(problem.batch) / seconds)),
              percent(plan.step.bubble())},
             megabytes(plan.peak_bytes()));
    }
    for (const planner::Refusal& refusal : ranking.refused)
        out << "  " << std::left << std::setw(mesh_width) << to_string(refusal.mesh)
            << "does not fit: " << refusal.why << '\n';
}

}  // namespace

std::string to_text(const planner::Ranking& ranking, const planner::Configuration& c,
                    const planner::Resources& resources, int ranks) {
    std::ostringstream out;
    out << c.problem.gan().name << ", " << to_string(c.problem.precision) << ", batch "
        << c.problem.batch << " in " << c.problem.micro_batches()
        << " micro-batches; resources: " << resources_in_words(resources) << ":\n";
    add_table(out, ranking, c.problem);
    if (ranking.offers.empty()) return out.str();
    const planner::Offer& best = ranking.offers.front();
    out << "\nStrategy for " << ranks << (ranks == 1 ? " rank: " : " ranks: ")
        << planner::strategy_of(best) << ".\n"
        << planner::reason_of(ranking, resources, ranks) << command_of(best, c.problem, resources)
        << '\n';
    return out.str();
}

}  // namespace civitas::app
