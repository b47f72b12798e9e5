#include "plan_text.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/report/gantt.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

namespace civitas::app {
namespace {

using schedule::NetId;

std::string time_of(double seconds) {
    std::ostringstream out;
    out << std::fixed << std::setprecision(seconds < 0.1 ? 2 : 0) << seconds * 1e3 << " ms";
    return out.str();
}
/// Columns of equal width, right-aligned but the first.
class Table {
public:
    explicit Table(std::ostream& out, int width = 11) : out_(out), width_(width) {}
    template <class... Cells>
    void line(const std::string& first, const Cells&... cells) {
        out_ << "  " << std::left << std::setw(12) << first << std::right;
        ((out_ << std::setw(width_) << text(cells)), ...);
        out_ << '\n';
    }

private:
    std::ostream& out_;
    int width_;
};

/// `deconv0 to act1`.
std::string names_of(const net::NetDescription& net, Range layers) {
    const auto name = [&](std::int64_t i) { return net.layers[static_cast<std::size_t>(i)].name; };
    if (layers.count == 1) return name(layers.begin);
    return name(layers.begin) + " to " + name(layers.end() - 1);
}

/// `: generator 3.58 M parameters, discriminator 2.77 M`
std::string nets_in_words(const planner::Workload& workload) {
    std::string words;
    for (const planner::WorkloadNet& net : workload.nets)
        words += text(words.empty() ? ": " : ", ", net.description.name, ' ',
                      millions(net::parameter_count(net.description)),
                      words.empty() ? " parameters" : "");
    return words;
}

void add_stages(std::ostream& out, const planner::StepPlan& plan,
                const planner::Workload& workload) {
    Table table(out);
    out << (plan.layout.mesh[Axis::tensor] == 1 ? "Stages"
                                                : "Stages as each rank of a tensor group has them")
        << ", and one micro-batch in each:\n";
    table.line("", "coordinate", "parameters", "F", "B", "W", "   layers  ");
    for (const NetId which : workload.graph.net_ids()) {
        const auto& net = workload[which].description;
        const auto& stages = plan.layout.stages_of(which);
        for (const StageId stage : each<StageId>(std::ssize(stages))) {
            const Range layers = stages[static_cast<std::size_t>(stage)];
            const auto& costs = plan.costs.of(which, stage);
            table.line(
                text(workload.graph[which], index(stage)),
                index(plan.layout.placement.coordinate_of(which, stage)),
                millions(net::parameter_count(workload.local_part(plan.layout, which, layers))),
                time_of(costs.forward_s), time_of(costs.backward_input_s),
                time_of(costs.backward_weights_s), "   " + names_of(net, layers));
        }
    }
}

void add_step(std::ostream& out, const planner::StepPlan& plan, std::int64_t batch) {
    const double seconds = plan.seconds_of_step();
    out << "A step takes " << time_of(seconds) << " ("
        << std::lround(static_cast<double>(batch) / seconds) << " tiles/s), bubble "
        << percent(plan.step.bubble()) << ".\n";
    Table table(out);
    table.line("coordinate", "busy", "idle", "bubble");
    for (std::size_t at = 0; at < plan.step.coordinates.size(); ++at) {
        const auto& coordinate = plan.step.coordinates[at];
        table.line(text(at), time_of(coordinate.busy_s), time_of(coordinate.idle_s),
                   percent(coordinate.idle_s / seconds));
    }
}

/// Megabytes without the unit.
std::string bare(std::int64_t bytes) {
    const std::string words = megabytes(bytes);
    return words.substr(0, words.find(' '));
}

void add_memory(std::ostream& out, const planner::StepPlan& plan, double room) {
    out << "Memory of a rank at its peak in MB (it has "
        << megabytes(static_cast<std::int64_t>(room)) << "):\n";
    Table table(out, 8);
    table.line("coordinate", "weights", "sums", "moments", "mean", "saved", "buffers", "loader",
               "scratch", "process", "all");
    for (std::size_t at = 0; at < plan.memory.size(); ++at) {
        const planner::RankMemory& m = plan.memory[at];
        table.line(text(at), bare(m.nets.parameters), bare(m.nets.gradients), bare(m.nets.moments),
                   bare(m.nets.mean), bare(m.activations), bare(m.messages), bare(m.loader),
                   bare(m.scratch + m.window), bare(m.process), bare(m.sum()));
    }
}

void add_offloaded(std::ostream& out, const planner::StepPlan& plan) {
    if (plan.layout.offload == Offload::none) return;
    Table table(out, 17);
    out << "Offloaded by a rank, and how much of it is in memory at a time (in scratch):\n";
    table.line("coordinate", place_of(plan.layout.offload), "window");
    for (std::size_t at = 0; at < plan.memory.size(); ++at)
        table.line(text(at), megabytes(plan.memory[at].nets.offloaded),
                   megabytes(plan.memory[at].window));
}

void add_copies(std::ostream& out, const planner::StepPlan& plan) {
    if (plan.largest_memory().staging == 0) return;
    Table table(out);
    out << "Part of all is what a rank copies for checkpoints in the background:\n";
    table.line("coordinate", "copy");
    for (std::size_t at = 0; at < plan.memory.size(); ++at)
        table.line(text(at), megabytes(plan.memory[at].staging));
}

/// Behind a net's last stage comes the first one of the net that takes its outputs.
std::string cut_name(const schedule::CutTraffic& cut, const planner::ExecutionLayout& layout) {
    const schedule::StepGraph& graph = layout.schedule.graph;
    std::string from = text(graph[cut.net], index(cut.stage), " - ");
    if (const int after = index(next(cut.stage)); after < std::ssize(layout.stages_of(cut.net)))
        return text(from, graph[cut.net], after);
    for (const schedule::Pass& pass : graph.passes)
        if (pass.input_from && graph[*pass.input_from].net == cut.net)
            return text(from, graph[pass.net], 0);
    return from;
}

void add_cuts(std::ostream& out, const planner::StepPlan& plan) {
    if (plan.cuts.empty()) return;
    Table table(out);
    out << "Messages of a pipe in a step:\n";
    table.line("cut", "from", "to", "messages", "all");
    for (const auto& cut : plan.cuts)
        table.line(cut_name(cut, plan.layout), index(cut.from), index(cut.to), cut.messages,
                   megabytes(cut.bytes));
}

void add_exchanges(std::ostream& out, const planner::StepPlan& plan,
                   const planner::CostModel& model) {
    const MeshShape mesh = plan.layout.mesh;
    if (mesh[Axis::tensor] == 1) return;
    const auto link = model.link(mesh, Axis::tensor);
    Table table(out);
    out << "Exchanges over the tensor axis, of a rank in a step:\n";
    table.line("coordinate", "exchanges", "sent", "time");
    for (std::size_t at = 0; at < plan.exchanges.size(); ++at) {
        const auto& sent = plan.exchanges[at];
        table.line(text(at), sent.rounds, megabytes(sent.bytes),
                   time_of(link.seconds(sent.rounds * (mesh[Axis::tensor] - 1), sent.bytes)));
    }
}

void add_sums(std::ostream& out, const planner::StepPlan& plan) {
    if (plan.layout.mesh[Axis::data] == 1) return;
    Table table(out);
    out << (shards_weights(plan.layout.shard) ? "Weights and gradients" : "Sums of gradients")
        << " over the data axis, sent by a rank in a step:\n";
    for (std::size_t at = 0; at < plan.reduced_bytes.size(); ++at)
        table.line(text(at), megabytes(plan.reduced_bytes[at]));
}

/// Of the slowest level, which says the unit of all.
double slowest_of(const std::vector<strategy::ShardOffer>& offers) {
    return std::ranges::max(offers, {}, &strategy::ShardOffer::seconds).seconds;
}

}  // namespace

std::string to_text(const planner::StepPlan& plan, const planner::CostModel& model) {
    std::ostringstream out;
    const planner::Workload& workload = model.workload();
    out << workload.name << ", " << to_string(workload.precision) << nets_in_words(workload)
        << "\nmesh " << to_string(plan.layout.mesh)
        << (plan.layout.replicas == 1 ? "" : text(", ", plan.layout.replicas, " replicas a rank"))
        << ", schedule " << plan.layout.schedule.name << ", placement "
        << (plan.layout.has_reversed() ? "reversed" : "same")
        << (plan.layout.shard == ShardLevel::none ? ""
                                                  : text(", shard ", to_string(plan.layout.shard)))
        << (plan.layout.offload == Offload::none
                ? ""
                : text(", offload ", to_string(plan.layout.offload)))
        << ", batch " << workload.batch << " in "
        << counted(workload.micro_batches(), "micro-batch", "micro-batches") << " of "
        << workload.micro_batch
        << (plan.layout.ranks_of_node > 1
                ? text("\nweights ", shards_weights(plan.layout.shard) ? "gathered " : "",
                       "once for ", plan.layout.ranks_of_node, " ranks of a node")
                : "")
        << "\n\n";
    add_stages(out, plan, workload);
    add_step(out << '\n', plan, workload.batch);
    add_memory(out << '\n', plan, model.room());
    add_offloaded(out, plan);
    add_copies(out, plan);
    add_cuts(out << '\n', plan);
    add_exchanges(out, plan, model);
    add_sums(out, plan);
    return out.str();
}

std::string to_text(const std::vector<strategy::ShardOffer>& offers) {
    std::ostringstream out;
    Table table(out, 9);
    out << "Shard levels of this layout: MB of the rank that needs most, MB sent along data in a "
           "step:\n";
    table.line("--shard", "weights", "sums", "moments", "mean", "all", "sent", "step", "ratio");
    const double slowest = slowest_of(offers);
    for (const strategy::ShardOffer& offer : offers) {
        const planner::NetMemory& nets = offer.memory.nets;
        table.line(std::string(to_string(offer.level)), bare(nets.parameters), bare(nets.gradients),
                   bare(nets.moments), bare(nets.mean), bare(offer.memory.sum()),
                   bare(offer.sent_bytes), report::time_text(offer.seconds, slowest),
                   fixed(offer.seconds / offers.front().seconds, 3));
    }
    return out.str();
}

std::string offload_text(const std::vector<strategy::ShardOffer>& offers, double seconds) {
    std::ostringstream out;
    Table table(out, 9);
    const Offload to = offers.front().memory.offload;
    out << "With --offload " << to_string(to) << ": MB of the rank that needs most, a step"
        << (to == Offload::disk ? " as if nothing stayed in the cache:\n" : ":\n");
    table.line("--shard", "all", to == Offload::disk ? "on disk" : "on host", "step", "ratio");
    const double slowest = slowest_of(offers);
    for (const strategy::ShardOffer& offer : offers)
        table.line(std::string(to_string(offer.level)), bare(offer.memory.sum()),
                   bare(offer.memory.nets.offloaded), report::time_text(offer.seconds, slowest),
                   fixed(offer.seconds / seconds, 3));
    return out.str();
}

}  // namespace civitas::app
