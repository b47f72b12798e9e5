#include "civitas/schedule/traffic.hpp"

#include "civitas/schedule/actions.hpp"
#include "civitas/schedule/message_order.hpp"

#include <algorithm>
#include <deque>

namespace civitas::schedule {
namespace {

/// What actions take from other coordinates.
class RemoteInputs {
public:
    RemoteInputs(const Schedule& schedule, const Costs& costs)
        : graph_(schedule.graph),
          placement_(placement_of(schedule)),
          costs_(costs),
          stages_(costs.stages()) {}

    [[nodiscard]] PipeCoordinate coordinate_of(const Action& a) const {
        return placement_.coordinate_of(a.net, a.stage);
    }
    /// The maker of an action's input; nothing where that is here, or needs nobody.
    [[nodiscard]] std::optional<Action> producer_of(const Action& a) const {
        const auto producer = producer_of_input(graph_, a, stages_);
        return producer && coordinate_of(*producer) != coordinate_of(a) ? producer : std::nullopt;
    }
    [[nodiscard]] std::int64_t bytes_of(const Action& producer) const {
        return costs_.of(producer.net, producer.stage).result_bytes(producer.kind);
    }

private:
    const StepGraph& graph_;
    StagePlacement placement_;
    const Costs& costs_;
    StageCounts stages_;
};

}  // namespace

std::vector<CutTraffic> cut_traffic(const Schedule& schedule, const Costs& costs) {
    const RemoteInputs inputs(schedule, costs);
    std::map<std::pair<NetId, StageId>, CutTraffic> cuts;
    for (const auto& actions : schedule.coordinates)
        for (const Action& action : actions) {
            const auto producer = inputs.producer_of(action);
            if (!producer) continue;
            // F crosses a cut one way and B the other.
            const bool ahead = is_forward(action.kind);
            const Action& before = ahead ? *producer : action;
            const Action& behind = ahead ? action : *producer;
            CutTraffic& cut = cuts[{before.net, before.stage}];
            cut = {before.net,
                   before.stage,
                   inputs.coordinate_of(before),
                   inputs.coordinate_of(behind),
                   cut.messages + 1,
                   cut.bytes + inputs.bytes_of(*producer)};
        }
    std::vector<CutTraffic> all;
    for (const auto& [place, cut] : cuts) all.push_back(cut);
    return all;
}

std::int64_t message_bytes(const Schedule& schedule, PipeCoordinate coordinate,
                           const Costs& costs) {
    const RemoteInputs inputs(schedule, costs);
    std::deque<std::int64_t> awaited;  // of the actions in the window
    std::int64_t most = 0, ready = 0;
    for (const Action& action : schedule[coordinate]) {
        if (of_weights(action.kind)) continue;
        const auto producer = inputs.producer_of(action);
        ready += awaited.emplace_back(producer ? inputs.bytes_of(*producer) : 0);
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
