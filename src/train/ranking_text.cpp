#include "ranking.hpp"

#include "civitas/base/text.hpp"
#include "civitas/report/gantt.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

namespace civitas::train {
namespace {

std::string percent(double share) {
    std::ostringstream out;
    out << std::fixed << std::setprecision(1) << 100 * share << " %";
    return out.str();
}

std::string resources_in_words(const Resources& r) {
    const std::string node = r.gpus == 0
                                 ? text("only CPUs, ", r.cores, " cores")
                                 : (r.gpus == 1 ? std::string("one GPU") : text(r.gpus, " GPUs"));
    return r.nodes == 1 ? node : text(r.nodes, " nodes, each ", node);
}

/// The longest of the coordinates' sums over the data axis.
double seconds_of_sums(const Plan& plan) {
    std::vector<double> sums(plan.step.coordinates.size());
    for (const parallel::Span& span : plan.step.spans)
        if (span.action.kind == parallel::Kind::reduce)
            sums[static_cast<std::size_t>(span.coordinate)] += span.end_s - span.begin_s;
    return *std::max_element(sums.begin(), sums.end());
}

/// `idles 12 % of the step and sum gradients for 3 %`
std::string costs_in_words(const Plan& plan) {
    return text("idles ", percent(plan.step.bubble()), " of its time and sums gradients for ",
                percent(seconds_of_sums(plan) / plan.seconds_of_step()));
}

std::string saving_of(const Layout& layout) {
    if (layout.redraw && layout.recompute) return "both";
    if (layout.redraw) return "redraw";
    return layout.recompute ? "recompute" : "-";
}

/// As they are typed.
std::string options_of(const Offer& offer) {
    const Layout& layout = offer.layout;
    const bool pipe = offer.plan.setting.mesh.pipe > 1;
    return text(pipe ? " --schedule " + layout.schedule : "",
                pipe && layout.placement != "same" ? " --placement " + layout.placement : "",
                layout.redraw ? " --redraw" : "", layout.recompute ? " --recompute" : "");
}

void add_table(std::ostream& out, const Ranking& ranking, const Task& task) {
    const auto line = [&](const auto& mesh, const auto& schedule, const auto&... cells) {
        out << "  " << std::left << std::setw(16) << mesh << std::setw(16) << schedule;
        ((out << std::setw(11) << cells), ...);
        out << '\n';
    };
    line("mesh", "schedule", "D's order", "to save", "step", "tiles/s", "bubble", "memory");
    for (const auto& [layout, plan] : ranking.offers) {
        const comm::MeshShape mesh = plan.setting.mesh;
        const double seconds = plan.seconds_of_step();
        line(text("data=", mesh.data, ",pipe=", mesh.pipe), mesh.pipe > 1 ? layout.schedule : "-",
             mesh.pipe > 1 ? layout.placement : "-", saving_of(layout),
             report::time_text(seconds, seconds),
             std::lround(static_cast<double>(task.batch) / seconds), percent(plan.step.bubble()),
             megabytes(plan.peak_bytes()));
    }
    for (const auto& [mesh, why] : ranking.refused)
        out << "  " << std::left << std::setw(16) << text("data=", mesh.data, ",pipe=", mesh.pipe)
            << "does not fit: " << why << '\n';
}

/// Why the first offer, by what the second costs.
std::string reason(const Ranking& ranking, const Resources& resources, int ranks) {
    const Plan& best = ranking.offers.front().plan;
    std::string words = text("It ", costs_in_words(best), ".");
    if (ranking.offers.size() > 1) {
        const Plan& next = ranking.offers[1].plan;
        words += text(" The next, ", to_string(next.setting.mesh), ", takes ",
                      percent(next.seconds_of_step() / best.seconds_of_step() - 1), " longer: it ",
                      costs_in_words(next), ".");
    }
    const bool shared_gpu = resources.gpus > 0 && resources.nodes * resources.gpus < ranks;
    if (shared_gpu)
        words += text(" ", ranks, " ranks share ", resources.nodes * resources.gpus,
                      " GPUs: ranks beyond the GPUs add messages, not speed.");
    return words;
}

}  // namespace

std::string to_text(const Ranking& ranking, const Configuration& c, const Resources& resources,
                    int ranks) {
    std::ostringstream out;
    out << c.task.net << ", " << c.task.precision << ", batch " << c.task.batch << " in "
        << c.task.micro_batches() << " micro-batches; resources: " << resources_in_words(resources)
        << ":\n";
    add_table(out, ranking, c.task);
    if (ranking.offers.empty()) return out.str();
    const Offer& best = ranking.offers.front();
    out << "\nStrategy for " << ranks << (ranks == 1 ? " rank: " : " ranks: ") << strategy_of(best)
        << ".\n"
        << reason(ranking, resources, ranks) << '\n'
        << "civitas train --mesh data=" << best.plan.setting.mesh.data
        << ",pipe=" << best.plan.setting.mesh.pipe << options_of(best) << '\n';
    return out.str();
}

}  // namespace civitas::train
