#include "civitas/schedule/message_order.hpp"

#include "dry_run.hpp"

#include "civitas/base/error.hpp"
#include "civitas/schedule/actions.hpp"

namespace civitas::schedule {
namespace {

/// A table run round by round.
class Rounds {
public:
    Rounds(const Schedule& schedule, const StageCounts& stages, std::int64_t micro_batches)
        : schedule_(schedule),
          costs_(unit_costs(stages)),
          dry_run_(schedule, micro_batches, costs_),
          at_(schedule.coordinates.size()) {}

    /// The action of the next round of each coordinate that has one.
    [[nodiscard]] std::map<PipeCoordinate, Action> next() {
        std::map<PipeCoordinate, Action> round;
        for (const PipeCoordinate c : coordinates())
            if (is_met(c) && (upcoming(c)->kind != Kind::reduce || all_reduce(*upcoming(c))))
                round.emplace(c, *upcoming(c));
        for (const auto& [c, action] : round) {
            ++at_[static_cast<std::size_t>(c)];
            dry_run_.perform(action, c);
        }
        return round;
    }

    void require_end() const {
        for (const PipeCoordinate c : coordinates())
            if (is_met(c))
                throw UsageError(
                    text("schedule ", schedule_.name, ": coordinate ", index(c),
                         " waits forever at ", to_string(schedule_.graph, *upcoming(c))),
                    Hint{"every coordinate reduces every net, in the same order"});
    }

private:
    [[nodiscard]] IndexRange<PipeCoordinate> coordinates() const {
        return each<PipeCoordinate>(std::ssize(at_));
    }

    /// The next action of a coordinate; null at the end of its list.
    [[nodiscard]] const Action* upcoming(PipeCoordinate c) const {
        const auto& actions = schedule_[c];
        const std::size_t at = at_[static_cast<std::size_t>(c)];
        return at < actions.size() ? &actions[at] : nullptr;
    }

    /// Whether what the next action of a coordinate needs is done.
    [[nodiscard]] bool is_met(PipeCoordinate c) const {
        return upcoming(c) != nullptr && !dry_run_.unmet(*upcoming(c), c);
    }

    [[nodiscard]] bool all_reduce(const Action& reduce) const {
        for (const PipeCoordinate c : coordinates())
            if (!is_met(c) || *upcoming(c) != reduce) return false;
        return true;
    }

    const Schedule& schedule_;
    Costs costs_;
    DryRun dry_run_;
    std::vector<std::size_t> at_;
};

}  // namespace

std::vector<MessageOrder> message_order(const Schedule& schedule, const StageCounts& stages,
                                        std::int64_t micro_batches) {
    const StagePlacement placement = placement_of(schedule);
    std::vector<MessageOrder> orders(schedule.coordinates.size());
    const auto of = [&](PipeCoordinate c) -> MessageOrder& {
        return orders[static_cast<std::size_t>(c)];
    };
    Rounds rounds(schedule, stages, micro_batches);
    for (auto round = rounds.next(); !round.empty(); round = rounds.next()) {
        for (const auto& [c, action] : round)
            if (!of_weights(action.kind)) of(c).before[action] = of(c).messages.size();
        for (const auto& [c, action] : round) {
            const auto consumer = consumer_of_output(schedule.graph, action, stages);
            if (!consumer) continue;
            const PipeCoordinate to = placement.coordinate_of(consumer->net, consumer->stage);
            if (to == c) continue;
            of(c).messages.push_back({true, output_of(action), to});
            of(to).messages.push_back({false, output_of(action), c});
        }
    }
    rounds.require_end();
    return orders;
}

}  // namespace civitas::schedule
