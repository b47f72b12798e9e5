#include "civitas/schedule/traffic.hpp"

#include "civitas/schedule/actions.hpp"
#include "civitas/schedule/message_order.hpp"

#include <algorithm>
#include <deque>

namespace civitas::schedule {
namespace {

/// What makes an action's input on another coordinate; nothing where that is here, or nobody does.
std::optional<Action> remote_producer(const StepGraph& graph, const StagePlacement& placement,
                                      const StageCounts& stages, const Action& a) {
    const auto producer = producer_of_input(graph, a, stages);
    const bool remote = producer && placement.find(producer->net, producer->stage) !=
                                        placement.find(a.net, a.stage);
    return remote ? producer : std::nullopt;
}

}  // namespace

std::vector<CutTraffic> cut_traffic(const Schedule& schedule, const Costs& costs) {
    const StagePlacement placement = placement_of(schedule);
    const StageCounts stages = costs.stages();
    std::map<std::pair<NetId, StageId>, CutTraffic> cuts;
    for (const auto& actions : schedule.coordinates)
        for (const Action& action : actions) {
            const auto producer = remote_producer(schedule.graph, placement, stages, action);
            if (!producer) continue;
            // F crosses a cut one way and B the other.
            const auto& [before, behind] = is_forward(action.kind) ? std::pair(*producer, action)
                                                                   : std::pair(action, *producer);
            CutTraffic& cut = cuts[{before.net, before.stage}];
            cut = {before.net,
                   before.stage,
                   placement.coordinate_of(before.net, before.stage),
                   placement.coordinate_of(behind.net, behind.stage),
                   cut.messages + 1,
                   cut.bytes + costs.result_bytes(*producer)};
        }
    std::vector<CutTraffic> all;
    for (const auto& [place, cut] : cuts) all.push_back(cut);
    return all;
}

std::int64_t message_bytes(const Schedule& schedule, PipeCoordinate coordinate,
                           const Costs& costs) {
    const StagePlacement placement = placement_of(schedule, coordinate);
    const StageCounts stages = costs.stages();
    std::deque<std::int64_t> awaited;  // of the actions in the window
    std::int64_t most = 0, ready = 0;
    for (const Action& action : schedule[coordinate]) {
        if (of_weights(action.kind)) continue;
        const auto producer = remote_producer(schedule.graph, placement, stages, action);
        ready += awaited.emplace_back(producer ? costs.result_bytes(*producer) : 0);
        if (awaited.size() > message_window) {
            ready -= awaited.front();
            awaited.pop_front();
        }
        most = std::max(most, ready);
    }
    return most;
}

ExchangeTraffic exchange_traffic(const Schedule& schedule, PipeCoordinate coordinate,
                                 const Costs& costs) {
    ExchangeTraffic sum;
    for (const Action& action : schedule[coordinate]) {
        if (!of_visit(action.kind)) continue;
        const StageCosts& stage = costs.of(action.net, action.stage);
        if (is_forward(action.kind) || action.kind == Kind::recompute)
            sum += stage.forward_exchanges;
        if (!includes_B(action.kind)) continue;
        sum += stage.backward_exchanges;
        if (input_unwanted(schedule.graph, action)) sum -= stage.to_net_input_exchanges;
    }
    return sum;
}

std::int64_t scattered_bytes(std::int64_t bytes, int ranks) { return bytes * (ranks - 1) / ranks; }

}  // namespace civitas::schedule
