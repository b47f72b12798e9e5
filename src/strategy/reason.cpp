#include "civitas/strategy/reason.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/planner/network.hpp"

#include <algorithm>
#include <array>

namespace civitas::strategy {
namespace {

using planner::CostModel, planner::LayoutOptions, planner::Link;
using planner::MachineModel, planner::StepPlan;

/// Seconds of a step, the mean of the pipe coordinates; together they are the step.
struct Spent {
    double computing = 0, waiting = 0, summing = 0, exchanging = 0;
};
Spent spent_of(const StepPlan& plan, const CostModel& model) {
    const MeshShape mesh = plan.layout.mesh;
    const Link link = model.link(mesh, Axis::tensor);
    Spent spent{.waiting = plan.step.idle_s()};
    for (const schedule::Span& span : plan.step.spans)
        if (span.action.kind == schedule::Kind::reduce) spent.summing += span.end_s - span.begin_s;
    for (const schedule::ExchangeTraffic& sent : plan.exchanges)
        spent.exchanging += link.seconds(sent.rounds * (mesh[Axis::tensor] - 1), sent.bytes);
    for (double* part : {&spent.waiting, &spent.summing, &spent.exchanging})
        *part /= mesh[Axis::pipe];
    spent.computing = plan.seconds_of_step() - spent.waiting - spent.summing - spent.exchanging;
    return spent;
}

/// `12.0 % of a step wait for the pipe, 3.1 % sum gradients`; what is nothing is left out.
std::string in_words(const Spent& spent, double step) {
    const std::array<std::pair<double, const char*>, 3> parts{
        {{spent.waiting, " wait for the pipe"},
         {spent.summing, " sum gradients"},
         {spent.exchanging, " exchange channels"}}};
    std::string all;
    for (const auto& [seconds, words] : parts)
        if (seconds > 0.0005 * step)
            all += text(all.empty() ? "" : ", ", percent(seconds / step),
                        all.empty() ? " of a step" : "", words);
    return all.empty() ? "all of a step computes" : all;
}

/// What most of the time goes into by which `next` is slower.
std::string most_of(const Spent& best, const Spent& next, double step) {
    const std::array<std::pair<double, std::string>, 4> more{
        {{next.computing - best.computing,
          text("it computes ", percent(next.computing / best.computing - 1), " more")},
         {next.waiting - best.waiting,
          text("it waits ", percent(next.waiting / step), " of its time for the pipe")},
         {next.summing - best.summing,
          text("it sums gradients for ", percent(next.summing / step), " of its time")},
         {next.exchanging - best.exchanging,
          text("it exchanges channels for ", percent(next.exchanging / step), " of its time")}}};
    return std::max_element(more.begin(), more.end(),
                            [](const auto& a, const auto& b) { return a.first < b.first; })
        ->second;
}

std::string of_time(const Ranking& ranking, const CostModel& model) {
    const StepPlan& best = ranking.candidates.front().plan;
    const double step = best.seconds_of_step();
    const Spent spent = spent_of(best, model);
    std::string words = text("Time: ", in_words(spent, step), ".");
    if (ranking.candidates.size() == 1) return words;
    const StepPlan& next = ranking.candidates[1].plan;
    if (next.seconds_of_step() < step)
        return words + text("\nA tie with ", to_string(next.layout.mesh), ", planned ",
                            percent(1 - next.seconds_of_step() / step),
                            " shorter: of the two this one keeps the bits of one rank.");
    return words + text("\nThe next, ", to_string(next.layout.mesh), ", takes ",
                        percent(next.seconds_of_step() / step - 1),
                        " longer: ", most_of(spent, spent_of(next, model), next.seconds_of_step()),
                        ".");
}

/// `--shard optimizer, --redraw`
std::string savings_of(const LayoutOptions& options) {
    std::string words;
    const auto add = [&](const std::string& option) {
        words += text(words.empty() ? "" : ", ", option);
    };
    if (options.shard != ShardLevel::none) add(text("--shard ", to_string(options.shard)));
    if (options.redraw) add("--redraw");
    if (options.recompute) add("--recompute");
    return words;
}

std::string of_memory(const Ranking& ranking, double room) {
    const auto it_has = text("it has ", megabytes(static_cast<std::int64_t>(room)));
    const Candidate& best = ranking.candidates.front();
    std::string words;
    for (const Rejected& r : ranking.rejected)
        if (r.of_memory && r.mesh[Axis::data] == r.mesh.size())
            words += text(r.mesh.size() == 1 ? "One process does" : "Replicas alone do",
                          " not fit: ", r.why, ". ");
    if (static_cast<double>(best.bytes_unsaved) > room)
        words += text("Without ", savings_of(best.options), " a rank needs ",
                      megabytes(best.bytes_unsaved), ", ", it_has, ". ");
    if (words.empty())
        words = text("A rank needs ", megabytes(best.plan.peak_bytes()), ", ", it_has, ". ");
    words.pop_back();
    return "Memory: " + words;
}

/// `Messages along data cross nodes`
std::string of_nodes(const NodeMap& nodes, MeshShape mesh) {
    std::string crossing;
    for (const Axis axis : all_axes)
        if (planner::ranks_leaving(mesh, axis, nodes) > 0)
            crossing += text(crossing.empty() ? "" : " and ", name_of(axis));
    if (crossing.empty()) return "All ranks fill one node.";
    return text("Only messages along ", crossing, " cross nodes.");
}

std::string of_resources(const CostModel& model, MeshShape mesh, int replicas) {
    const MachineModel& r = model.machine();
    const int ranks = mesh.size(), computing = ranks * replicas;
    const std::string each = replicas > 1 ? "replica" : "rank";
    const int gpus = r.nodes * r.gpus;
    std::string words;
    if (gpus == 0) {
        const int sharing = r.ranks_of_node(ranks);
        words = text("Only CPUs: ", sharing, sharing == 1 ? " rank has " : " ranks share ", r.cores,
                     " cores");
        if (r.nodes > 1) words += " of each node";
    } else if (computing > gpus) {
        words = text(gpus == 1 ? "One GPU: " : "Several GPUs: ", computing, ' ', each, "s share ",
                     gpus, ": ", each, "s beyond the GPUs add messages, not speed");
    } else {
        words =
            text(gpus == 1 ? "One GPU: one rank has it" : "Several GPUs: a " + each + " on each");
        if (computing < gpus) words += text(", ", gpus - computing, " are idle");
    }
    words += '.';
    return r.nodes > 1 ? text("Several nodes: ", of_nodes(model.nodes(), mesh), ' ', words) : words;
}

}  // namespace

std::string explain(const Ranking& ranking, const CostModel& model) {
    const planner::ExecutionLayout& best = ranking.candidates.front().plan.layout;
    return text(of_resources(model, best.mesh, best.replicas), '\n',
                of_memory(ranking, model.room()), '\n', of_time(ranking, model), '\n');
}

std::string strategy_of(const Candidate& candidate) {
    const MeshShape mesh = candidate.plan.layout.mesh;
    const std::string& schedule = planner::name_of(candidate.options.schedule);
    std::string words;
    if (mesh.size() == 1) {
        words = "one process";
    } else if (mesh.size() == mesh[Axis::tensor]) {
        words = "tensor parallel";
    } else if (mesh[Axis::pipe] == 1) {
        words = text("data parallel: ", mesh[Axis::data] * candidate.plan.layout.replicas,
                     " replicas of the nets");
    } else if (mesh[Axis::data] == 1) {
        words = schedule == "naive" ? text("naive model parallel: ", mesh[Axis::pipe], " stages")
                                    : text("a pipeline of ", mesh[Axis::pipe], " stages");
    } else {
        words = text("data-parallel pipelines: ", mesh[Axis::data], " copies of ", mesh[Axis::pipe],
                     " stages");
    }
    if (mesh[Axis::tensor] > 1)
        words += text(", channels of every layer cut in ", mesh[Axis::tensor]);
    if (mesh[Axis::pipe] > 1) words += ", schedule " + schedule;
    if (mesh[Axis::pipe] > 1 && candidate.options.placement == planner::StageOrder::reversed)
        words += ", D reversed";
    if (candidate.options.shard != ShardLevel::none)
        words += text(", ", to_string(candidate.options.shard), " sharded");
    if (candidate.options.redraw) words += ", G's tiles drawn again";
    if (candidate.options.recompute) words += ", stages recomputed";
    return words;
}

}  // namespace civitas::strategy
