#include "civitas/schedule/message_order.hpp"

#include "dependencies.hpp"

#include "civitas/base/error.hpp"
#include "civitas/schedule/actions.hpp"

#include <algorithm>

namespace civitas::schedule {
namespace {

/// Coordinates to which results go by message, by the action that makes them.
std::map<Action, PipeCoordinate> consumers_of(const Schedule& schedule, const StageCounts& stages) {
    const StagePlacement placement = placement_of(schedule);
    std::map<Action, PipeCoordinate> consumers;
    for (const PipeCoordinate c : each<PipeCoordinate>(placement.coordinates()))
        for (const Action& consumer : schedule[c]) {
            const auto made = producer_of_input(schedule.graph, consumer, stages);
            if (made && placement.coordinate_of(made->net, made->stage) != c) consumers[*made] = c;
        }
    return consumers;
}

/// A table run round by round.
class Rounds {
public:
    Rounds(const Schedule& schedule, const StageCounts& stages, std::int64_t micro_batches)
        : schedule_(schedule),
          dependencies_(schedule, stages, micro_batches),
          at_(schedule.coordinates.size()),
          done_(schedule.graph) {}

    /// The action of the next round of each coordinate that has one.
    [[nodiscard]] std::map<PipeCoordinate, Action> next() {
        std::map<PipeCoordinate, Action> round;
        for (const PipeCoordinate c : each<PipeCoordinate>(std::ssize(at_)))
            if (const Action* action = upcoming(c); action != nullptr && ready(*action, c))
                round.emplace(c, *action);
        for (const auto& [c, action] : round) {
            ++at_[static_cast<std::size_t>(c)];
            for (const Completion& completion : completions_of(action, c)) done_.add(completion);
        }
        return round;
    }

    void require_end() const {
        for (const PipeCoordinate c : each<PipeCoordinate>(std::ssize(at_)))
            if (const Action* action = upcoming(c); action != nullptr && has_all(*action, c))
                throw UsageError(text("schedule ", schedule_.name, ": coordinate ", index(c),
                                      " waits forever at ", to_string(schedule_.graph, *action)),
                                 Hint{"every coordinate reduces every net, in the same order"});
    }

private:
    [[nodiscard]] const Action* upcoming(PipeCoordinate c) const {
        const auto& actions = schedule_[c];
        const std::size_t at = at_[static_cast<std::size_t>(c)];
        return at < actions.size() ? &actions[at] : nullptr;
    }

    [[nodiscard]] bool has_all(const Action& action, PipeCoordinate c) const {
        const auto needs = dependencies_.of(action, c);
        return std::all_of(needs.begin(), needs.end(), [&](const Completion& completion) {
            return done_.contains(completion);
        });
    }

    [[nodiscard]] bool ready(const Action& action, PipeCoordinate c) const {
        if (action.kind != Kind::reduce) return has_all(action, c);
        for (const PipeCoordinate other : each<PipeCoordinate>(std::ssize(at_))) {
            const Action* theirs = upcoming(other);
            if (theirs == nullptr || *theirs != action || !has_all(*theirs, other)) return false;
        }
        return true;
    }

    const Schedule& schedule_;
    Dependencies dependencies_;
    std::vector<std::size_t> at_;
    Completions done_;
};

}  // namespace

std::vector<MessageOrder> message_order(const Schedule& schedule, const StageCounts& stages,
                                        std::int64_t micro_batches) {
    const auto consumers = consumers_of(schedule, stages);
    std::vector<MessageOrder> orders(schedule.coordinates.size());
    const auto of = [&](PipeCoordinate c) -> MessageOrder& {
        return orders[static_cast<std::size_t>(c)];
    };
    Rounds rounds(schedule, stages, micro_batches);
    for (auto round = rounds.next(); !round.empty(); round = rounds.next()) {
        for (const auto& [c, action] : round)
            if (!of_weights(action.kind)) of(c).before[action] = of(c).messages.size();
        for (const auto& [c, action] : round) {
            const auto consumer = consumers.find(output_of(action));
            if (consumer == consumers.end()) continue;
            of(c).messages.push_back({true, consumer->first, consumer->second});
            of(consumer->second).messages.push_back({false, consumer->first, c});
        }
    }
    rounds.require_end();
    return orders;
}

}  // namespace civitas::schedule
