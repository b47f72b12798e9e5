#include "civitas/schedule/traffic.hpp"

#include "civitas/schedule/actions.hpp"
#include "civitas/schedule/message_order.hpp"

#include <algorithm>

namespace civitas::schedule {
namespace {

class Messages {
public:
    Messages(const Schedule& schedule, const Costs& costs)
        : graph_(schedule.graph),
          placement_(placement_of(schedule)),
          costs_(costs),
          stages_(costs.stages()) {}

    /// What an action takes from another coordinate; nothing where all it needs is here.
    [[nodiscard]] std::optional<Action> remote_producer(const Action& action,
                                                        PipeCoordinate here) const {
        if (!of_visit(action.kind)) return std::nullopt;
        auto producer = producer_of_input(graph_, action, stages_);
        if (producer && placement_.coordinate_of(producer->net, producer->stage) == here)
            producer.reset();
        return producer;
    }
    [[nodiscard]] std::int64_t bytes_of(const Action& producer) const {
        const StageCosts& stage = costs_.of(producer.net, producer.stage);
        return is_forward(producer.kind) ? stage.output_bytes : stage.input_bytes;
    }
    /// The cut behind a stage, which F crosses one way and B the other.
    [[nodiscard]] CutTraffic cut_of(const Action& producer) const {
        Action before = producer;
        if (!is_forward(producer.kind))
            before = producer.stage > first_stage
                         ? at_stage(producer, previous(producer.stage))
                         : at_end_of(graph_, stages_, *graph_.gradient_to(producer.pass), producer);
        const Action after =
            before.stage < stages_.last_of(before.net)
                ? at_stage(before, next(before.stage))
                : in_pass(graph_, *graph_.first_consumer(before.pass), first_stage, before);
        return {.net = before.net,
                .stage = before.stage,
                .from = placement_.coordinate_of(before.net, before.stage),
                .to = placement_.coordinate_of(after.net, after.stage)};
    }

private:
    const StepGraph& graph_;
    StagePlacement placement_;
    const Costs& costs_;
    StageCounts stages_;
};

}  // namespace

std::vector<CutTraffic> cut_traffic(const Schedule& schedule, const Costs& costs) {
    const Messages messages(schedule, costs);
    std::map<std::pair<NetId, StageId>, CutTraffic> cuts;
    for (const PipeCoordinate c : each<PipeCoordinate>(std::ssize(schedule.coordinates)))
        for (const Action& action : schedule[c]) {
            const auto producer = messages.remote_producer(action, c);
            if (!producer) continue;
            const CutTraffic cut = messages.cut_of(*producer);
            CutTraffic& sum = cuts.try_emplace({cut.net, cut.stage}, cut).first->second;
            ++sum.messages;
            sum.bytes += messages.bytes_of(*producer);
        }
    std::vector<CutTraffic> all;
    for (const auto& [place, cut] : cuts) all.push_back(cut);
    return all;
}

std::int64_t message_bytes(const Schedule& schedule, PipeCoordinate coordinate,
                           const Costs& costs) {
    const Messages messages(schedule, costs);
    std::vector<std::int64_t> awaited;
    for (const Action& action : schedule[coordinate]) {
        if (of_weights(action.kind)) continue;
        const auto producer = messages.remote_producer(action, coordinate);
        awaited.push_back(producer ? messages.bytes_of(*producer) : 0);
    }
    std::int64_t most = 0;
    std::int64_t ready = 0;
    for (std::size_t i = 0; i < awaited.size(); ++i) {
        ready += awaited[i];
        if (i >= message_window) ready -= awaited[i - message_window];
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

GatherTraffic gather_traffic(const Schedule& schedule, PipeCoordinate coordinate,
                             const Costs& costs) {
    GatherTraffic sum;
    for (const Action& a : schedule[coordinate]) {
        if (a.kind != Kind::gather) continue;
        ++sum.gathers;
        sum.bytes += costs.of(a.net, a.stage).gathered_bytes;
    }
    return sum;
}

std::int64_t scattered_bytes(std::int64_t bytes, int ranks) { return bytes * (ranks - 1) / ranks; }

}  // namespace civitas::schedule
