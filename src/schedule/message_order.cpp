#include "civitas/schedule/message_order.hpp"

#include "dependencies.hpp"

#include "civitas/base/error.hpp"
#include "civitas/schedule/actions.hpp"

#include <algorithm>

namespace civitas::schedule {
namespace {

/// Coordinates to which results go by message, by the action that makes them.
std::map<Action, int> consumers_of(const Schedule& schedule, int stages) {
    const StagePlacement placement = placement_of(schedule);
    std::map<Action, int> consumers;
    for (int c = 0; c < placement.coordinates(); ++c)
        for (const Action& consumer : schedule.coordinates[static_cast<std::size_t>(c)]) {
            const auto made = producer_of_input(schedule.graph, consumer, stages);
            if (made && placement.coordinate_of(made->net, made->stage) != c) consumers[*made] = c;
        }
    return consumers;
}

/// A table run round by round.
class Rounds {
public:
    Rounds(const Schedule& schedule, int stages, std::int64_t micro_batches)
        : schedule_(schedule),
          dependencies_(schedule, stages, micro_batches),
          at_(schedule.coordinates.size()),
          done_(schedule.graph) {}

    /// The action of the next round of each coordinate that has one.
    [[nodiscard]] std::map<int, Action> next() {
        std::map<int, Action> round;
        for (int c = 0; c < std::ssize(at_); ++c)
            if (const Action* action = upcoming(c); action != nullptr && ready(*action, c))
                round.emplace(c, *action);
        for (const auto& [c, action] : round) {
            ++at_[static_cast<std::size_t>(c)];
            for (const Completion& completion : completions_of(action, c)) done_.add(completion);
        }
        return round;
    }

    void require_end() const {
        for (int c = 0; c < std::ssize(at_); ++c)
            if (const Action* action = upcoming(c); action != nullptr && has_all(*action, c))
                throw UsageError(text("schedule ", schedule_.name, ": coordinate ", c,
                                      " waits forever at ", to_string(schedule_.graph, *action)),
                                 Hint{"every coordinate reduces every net, in the same order"});
    }

private:
    [[nodiscard]] const Action* upcoming(int c) const {
        const auto i = static_cast<std::size_t>(c);
        const auto& actions = schedule_.coordinates[i];
        return at_[i] < actions.size() ? &actions[at_[i]] : nullptr;
    }

    [[nodiscard]] bool has_all(const Action& action, int c) const {
        const auto needs = dependencies_.of(action, c);
        return std::all_of(needs.begin(), needs.end(), [&](const Completion& completion) {
            return done_.contains(completion);
        });
    }

    [[nodiscard]] bool ready(const Action& action, int c) const {
        if (action.kind != Kind::reduce) return has_all(action, c);
        for (int other = 0; other < std::ssize(at_); ++other) {
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

std::vector<MessageOrder> message_order(const Schedule& schedule, int stages,
                                        std::int64_t micro_batches) {
    const auto consumers = consumers_of(schedule, stages);
    std::vector<MessageOrder> orders(schedule.coordinates.size());
    const auto of = [&](int c) -> MessageOrder& { return orders[static_cast<std::size_t>(c)]; };
    Rounds rounds(schedule, stages, micro_batches);
    for (auto round = rounds.next(); !round.empty(); round = rounds.next()) {
        for (const auto& [c, action] : round) of(c).before[action] = of(c).messages.size();
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
