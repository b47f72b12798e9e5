#include "start_report.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/strategy/shard_offers.hpp"

#include <algorithm>
#include <iomanip>

namespace civitas::train {
namespace {

constexpr int most_groups = 4;

/// `{0 2} {1 3}`: the groups of ranks that differ in one coordinate alone.
std::string groups_along(MeshShape mesh, Axis axis) {
    std::string groups;
    int printed = 0;
    for (const Rank first : mesh.first_of_groups(axis)) {
        if (printed++ == most_groups) return groups + " ...";
        groups += " {";
        for (const Rank rank : mesh.group(first, axis))
            groups += text(rank == first ? "" : " ", index(rank));
        groups += '}';
    }
    return groups;
}

/// `stage 0: deconv0 ... relu1 (2.34 M)`.
std::string stage_words(const net::NetDescription& net, StageId stage, Range layers) {
    const auto part = net::part_of(net, layers);
    std::ostringstream out;
    out << "stage " << index(stage) << ": " << part.layers.front().name;
    if (layers.count > 1) out << " ... " << part.layers.back().name;
    out << std::fixed << std::setprecision(2) << " ("
        << static_cast<double>(net::parameter_count(part)) / 1e6 << " M)";
    return out.str();
}

std::string stages_words(const planner::ExecutionLayout& layout, schedule::NetId which,
                         const net::NetDescription& net, PipeCoordinate coordinate) {
    return join(layout.placement.stages_of(which, coordinate), ", ", [&](StageId stage) {
        return stage_words(net, stage, layout.stages_of(which).at(static_cast<std::size_t>(stage)));
    });
}

std::vector<DeviceKind> all_on_cpu(MeshShape mesh) {
    return {static_cast<std::size_t>(mesh[Axis::pipe]), DeviceKind::cpu};
}

/// `, the first rank's on GPUs 0, 1`; nothing on CPUs.
std::string gpus_of(const environment::Process& process) {
    if (!process.device.is_cuda()) return {};
    std::string words;
    for (const at::Device gpu : process.replica_devices)
        words += text(words.empty() ? ", the first rank's on GPUs " : ", ", int{gpu.index()});
    return words;
}

}  // namespace

std::vector<std::string> layout_lines(const planner::ExecutionLayout& layout,
                                      const environment::Process& process,
                                      const planner::Nets& nets) {
    std::vector<std::string> lines;
    const MeshShape mesh = layout.mesh;
    for (const Axis axis : all_axes)
        if (mesh[axis] > 1)
            lines.push_back(text(name_of(axis), " groups:", groups_along(mesh, axis)));
    if (!process.stage_devices.empty() && process.stage_devices != all_on_cpu(mesh))
        lines.push_back("devices along the pipe: " + to_string(process.stage_devices));
    if (layout.replicas > 1)
        lines.push_back(text("replicas: ", layout.replicas, " in each rank, of ",
                             counted(process.threads, "thread", "threads"), " each",
                             gpus_of(process)));
    if (layout.ranks_of_node > 1)
        lines.push_back(text("replicas: ", layout.ranks_of_node,
                             shards_weights(layout.shard)
                                 ? " of a node gather weights once"
                                 : " of a node have the weights once, and update a part each"));
    if (mesh[Axis::pipe] == 1) return lines;
    const schedule::StepGraph& graph = layout.schedule.graph;
    lines.push_back(text("schedule ", layout.schedule.name,
                         graph.nets.size() == 1  ? ""
                         : layout.has_reversed() ? ", D's stages reversed"
                                                 : ", D's stages in G's order"));
    for (const PipeCoordinate c : each<PipeCoordinate>(mesh[Axis::pipe])) {
        std::string line;
        for (const schedule::NetId net : graph.net_ids())
            line += text(line.empty() ? text("pipe ", index(c), ": ") : "; ", graph[net], ' ',
                         stages_words(layout, net, nets[net], c));
        lines.push_back(line);
    }
    return lines;
}

std::optional<std::string> bits_line(const planner::Configuration& c, MeshShape mesh) {
    const int ranks = mesh[Axis::data], replicas = c.layout_options.replicas;
    const std::int64_t micro_batches = c.problem.micro_batches();
    if (!strategy::sums_as_one_rank(micro_batches / ranks, replicas, ShardLevel::none))
        return text(micro_batches / ranks / replicas,
                    " micro-batches a replica are no power of two: the bits of this run belong to ",
                    replicas, " replicas a rank, with other numbers of them it makes others");
    if (c.layout_options.reduction != Reduction::tree ||
        strategy::sums_as_one_rank(micro_batches, ranks, c.layout_options.shard))
        return std::nullopt;
    return text(shards_gradients(c.layout_options.shard)
                    ? text(ranks, " data ranks that share gradients out")
                    : text(micro_batches / ranks, " micro-batches a data rank"),
                " are no power of two: the bits of this run belong to ", ranks,
                " data ranks, with other numbers of them it makes others");
}

}  // namespace civitas::train
