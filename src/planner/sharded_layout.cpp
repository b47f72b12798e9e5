#include "sharded_layout.hpp"

#include "civitas/net/partition.hpp"
#include "civitas/schedule/sharded_weights.hpp"

#include <algorithm>

namespace civitas::planner {
namespace {

/// The parts of a stage that lie in different blocks.
std::vector<Range> units_of(Range stage, const std::vector<Range>& blocks) {
    std::vector<Range> units;
    for (const Range block : blocks) {
        const std::int64_t begin = std::max(stage.begin, block.begin);
        const std::int64_t end = std::min(stage.end(), block.end());
        if (begin < end) units.push_back({begin, end - begin});
    }
    return units;
}

}  // namespace

ExecutionLayout with_sharded_weights(ExecutionLayout layout, const Workload& workload) {
    if (!shards_weights(level_among(layout.mesh[Axis::data], layout.shard)) ||
        schedule::has_gathers(layout.schedule))
        return layout;
    schedule::StageParts parts;
    for (const schedule::NetId which : workload.graph.net_ids()) {
        const auto blocks = blocks_of(workload[which].description, 1);
        std::vector<Range> units;
        auto& of_net = parts.emplace_back();
        for (const Range stage : layout.stages_of(which)) {
            const auto own = units_of(stage, blocks);
            of_net.push_back(static_cast<int>(own.size()));
            units.insert(units.end(), own.begin(), own.end());
        }
        layout.stages.at(static_cast<std::size_t>(which)) = std::move(units);
    }
    layout.schedule = schedule::with_gathers(schedule::split_stages(layout.schedule, parts));
    layout.placement = schedule::placement_of(layout.schedule);
    return layout;
}

std::optional<StagesOfNets> named_units(const schedule::Schedule& table, const Workload& workload) {
    if (!schedule::has_gathers(table)) return std::nullopt;
    StagesOfNets units;
    for (const WorkloadNet& net : workload.nets) units.push_back(blocks_of(net.description, 1));
    const auto named = stages_in(schedule::placement_of(table), table.graph);
    return named == schedule::stage_counts_of(units) ? std::optional(units) : std::nullopt;
}

}  // namespace civitas::planner
