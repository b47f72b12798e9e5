#include "civitas/planner/stage_search.hpp"

#include "sharded_layout.hpp"

#include "civitas/base/error.hpp"
#include "civitas/schedule/actions.hpp"
#include "civitas/schedule/sharded_weights.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

namespace civitas::planner {
namespace {

using schedule::NetId;

/// How many cuts the simulator is asked about: fewer of large tables.
int evaluations_of(const schedule::Schedule& schedule, SearchBudget budget) {
    if (budget == SearchBudget::fit || budget == SearchBudget::check) return 1;
    const std::size_t actions_simulated = budget == SearchBudget::compare ? 100'000 : 1'000'000;
    std::size_t actions = 0;
    for (const auto& list : schedule.coordinates) actions += list.size();
    return static_cast<int>(std::clamp<std::size_t>(actions_simulated / actions, 1, 400));
}

/// Where a net may be cut: the user's own stages leave no choice.
std::vector<Range> pieces_of(const net::NetDescription& net, const std::vector<std::int64_t>& asked,
                             int stages) {
    return asked.empty() ? blocks_of(net, stages) : partition_as(net, asked, stages);
}

std::int64_t kept_bytes(const CostModel& model, const net::NetDescription& part) {
    return saved_bytes(part, model.workload().micro_batch, model.value_bytes());
}

double seconds_of(std::span<const LayerTimes> layers, const schedule::ActionCounts& counts) {
    double sum = 0;
    for (const LayerTimes& t : layers)
        sum += counts.forward * t.forward_s + counts.backward_input * t.backward_input_s +
               counts.backward_weights * t.backward_weights_s;
    return sum;
}

double message_seconds(const CostModel& model, const net::NetDescription& part, Link link) {
    const auto elements = model.workload().micro_batch * net::shapes_of(part).back().elements();
    return link.seconds(1, elements * model.value_bytes().compute);
}

/// What can be cut of a net, with what each piece costs.
std::vector<net::Block> priced_blocks(const CostModel& model, const ExecutionLayout& layout,
                                      NetId which, const std::vector<Range>& pieces) {
    const auto counts = action_counts(layout.schedule, which,
                                      stages_in(layout.placement, layout.schedule.graph)[which]);
    const Link link = model.link(layout.mesh, Axis::pipe);
    std::vector<net::Block> blocks;
    for (const Range layers : pieces) {
        const auto part = model.workload().local_part(layout, which, layers);
        net::Block& block = blocks.emplace_back();
        block.layers = layers;
        block.seconds = seconds_of(std::span(model.timings().of(which))
                                       .subspan(static_cast<std::size_t>(layers.begin),
                                                static_cast<std::size_t>(layers.count)),
                                   counts);
        block.bytes = model.net_memory(part, layout, which).sum() + kept_bytes(model, part);
        block.cut_seconds =
            (counts.forward + counts.backward_input) * message_seconds(model, part, link);
    }
    return blocks;
}

/// More than any coordinate can need: everything, and each visit's activations twice, as if all
/// lived at once.
double most_bytes(const CostModel& model, const ExecutionLayout& layout) {
    double sum = 0;
    for (const NetId which : model.workload().graph.net_ids()) {
        const auto all = model.workload().local_part(
            layout, which, {0, std::ssize(model.workload()[which].description.layers)});
        const auto counts = action_counts(
            layout.schedule, which, stages_in(layout.placement, layout.schedule.graph)[which]);
        sum += static_cast<double>(model.net_memory(all, layout, which).sum()) +
               static_cast<double>(gathered_bytes(all, model.value_bytes())) +
               2 * counts.forward * static_cast<double>(kept_bytes(model, all));
    }
    return sum;
}

/// Too many bytes of all coordinates together: what falls as long as moves help one of them.
std::int64_t excess_bytes(const CostModel& model, const ExecutionLayout& layout,
                          const schedule::Costs& costs) {
    double excess = 0;
    for (const PipeCoordinate at : each<PipeCoordinate>(layout.mesh[Axis::pipe])) {
        const auto bytes = model.memory(layout, costs, at).sum();
        excess += std::max(0.0, static_cast<double>(bytes) - model.room());
    }
    return static_cast<std::int64_t>(std::ceil(excess));
}

}  // namespace

net::PricedStages choose_stages(const CostModel& model, const LayoutOptions& options,
                                ExecutionLayout layout, SearchBudget budget) {
    const Workload& workload = model.workload();
    const double room = model.room() - static_cast<double>(most_beside(workload, layout));
    const bool scarce = most_bytes(model, layout) > room;
    std::optional<schedule::Simulator> simulator;  // unless the cut decides what is gathered
    const auto seconds_of = [&](const schedule::Schedule& table, const schedule::Costs& costs) {
        if (has_gathers(table) != has_gathers(layout.schedule)) return makespan(table, costs);
        if (!simulator) simulator.emplace(table, costs.stages());
        return simulator->makespan(costs);
    };
    const auto cost_of = [&](const StagesOfNets& cut) {
        layout.stages = cut;
        const ExecutionLayout whole = with_sharded_weights(layout, workload);
        const auto costs = model.costs(whole);
        net::PartitionCost cost{.excess_bytes = scarce ? excess_bytes(model, whole, costs) : 0};
        if (budget != SearchBudget::fit && cost.excess_bytes == 0)
            cost.seconds = seconds_of(whole.schedule, costs);
        return cost;
    };
    if (options.table() != nullptr)
        if (auto units = named_units(layout.schedule, workload)) return {*units, cost_of(*units)};
    const int stages = stages_in(layout.placement, workload.graph)[NetId{0}];
    std::vector<net::NetBlocks> nets;
    for (const NetId which : workload.graph.net_ids()) {
        const auto pieces =
            pieces_of(workload[which].description, options.stages_of(which), stages);
        nets.push_back({priced_blocks(model, layout, which, pieces), layout.is_reversed(which)});
    }
    const auto cap = scarce ? static_cast<std::int64_t>(std::max(0.0, room)) : net::no_cap;
    int evaluations = evaluations_of(layout.schedule, budget);
    auto shares = partition(nets, stages, cap);
    if (!shares) {
        constexpr int with_little_hope = 20;  // that any cut fits
        evaluations = std::min(evaluations, with_little_hope);
        shares = partition(nets, stages);
    }
    if (!shares) throw UsageError("the times of the layers are no numbers to cut the nets by");
    return local_search(std::move(*shares), nets, cost_of, evaluations);
}

}  // namespace civitas::planner
