#include "civitas/schedule/traffic.hpp"

#include "civitas/schedule/actions.hpp"
#include "civitas/schedule/message_order.hpp"

#include <algorithm>

namespace civitas::schedule {
namespace {

class Messages {
public:
    Messages(const Schedule& schedule, const Costs& costs)
        : placement_(placement_of(schedule)),
          costs_(costs),
          stages_(static_cast<int>(costs.generator.size())) {}

    /// What an action takes from another coordinate; nothing where all it needs is here.
    [[nodiscard]] std::optional<Action> remote_maker(const Action& action, int here) const {
        if (of_whole_net(action.kind)) return std::nullopt;
        auto maker = maker_of_input(action, stages_);
        if (maker && placement_.coordinate_of(maker->net, maker->stage) == here) maker.reset();
        return maker;
    }
    [[nodiscard]] std::int64_t bytes_of(const Action& maker) const {
        const StageCosts& stage = costs_.of(maker.net, maker.stage);
        return is_forward(maker.kind) ? stage.output_bytes : stage.input_bytes;
    }
    [[nodiscard]] CutTraffic cut_of(const Action& maker) const {
        const bool forward = is_forward(maker.kind);
        const bool between_nets = !forward && !is_generator(maker) && maker.stage == 0;
        const NetId net = between_nets ? NetId::generator : maker.net;
        const int stage = between_nets ? stages_ - 1 : maker.stage - (forward ? 0 : 1);
        const bool last_of_generator = net == NetId::generator && stage == stages_ - 1;
        return {.net = net,
                .stage = stage,
                .from = placement_.coordinate_of(net, stage),
                .to = last_of_generator ? placement_.coordinate_of(NetId::discriminator, 0)
                                        : placement_.coordinate_of(net, stage + 1)};
    }

private:
    StagePlacement placement_;
    const Costs& costs_;
    int stages_;
};

}  // namespace

std::vector<CutTraffic> cut_traffic(const Schedule& schedule, const Costs& costs) {
    const Messages messages(schedule, costs);
    std::map<std::pair<NetId, int>, CutTraffic> cuts;
    for (std::size_t c = 0; c < schedule.coordinates.size(); ++c)
        for (const Action& action : schedule.coordinates[c]) {
            const auto maker = messages.remote_maker(action, static_cast<int>(c));
            if (!maker) continue;
            const CutTraffic cut = messages.cut_of(*maker);
            CutTraffic& sum = cuts.try_emplace({cut.net, cut.stage}, cut).first->second;
            ++sum.messages;
            sum.bytes += messages.bytes_of(*maker);
        }
    std::vector<CutTraffic> all;
    for (const auto& [place, cut] : cuts) all.push_back(cut);
    return all;
}

std::int64_t message_bytes(const Schedule& schedule, int coordinate, const Costs& costs) {
    const Messages messages(schedule, costs);
    std::vector<std::int64_t> awaited;
    for (const Action& action : schedule.coordinates.at(static_cast<std::size_t>(coordinate))) {
        const auto maker = messages.remote_maker(action, coordinate);
        awaited.push_back(maker ? messages.bytes_of(*maker) : 0);
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

ExchangeTraffic exchange_traffic(const Schedule& schedule, int coordinate, const Costs& costs) {
    ExchangeTraffic sum;
    for (const Action& action : schedule.coordinates.at(static_cast<std::size_t>(coordinate))) {
        if (of_whole_net(action.kind)) continue;
        const StageCosts& stage = costs.of(action.net, action.stage);
        if (is_forward(action.kind) || action.kind == Kind::recompute)
            sum += stage.forward_exchanges;
        if (!includes_B(action.kind)) continue;
        sum += stage.backward_exchanges;
        if (input_unwanted(action)) sum -= stage.to_net_input_exchanges;
    }
    return sum;
}

std::int64_t reduction_bytes(std::int64_t bytes, int passes, int ranks) {
    return (passes + 1) * bytes * (ranks - 1) / ranks;
}

}  // namespace civitas::schedule
