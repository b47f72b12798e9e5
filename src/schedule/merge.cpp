#include "dry_run.hpp"
#include "patterns.hpp"

#include "civitas/schedule/actions.hpp"

#include <algorithm>
#include <optional>

namespace civitas::schedule {
namespace {

/// Takes actions off the fronts of a coordinate's lists.
class Fronts {
public:
    Fronts(const std::vector<Phase>& phases, std::size_t coordinate) {
        for (const Phase& phase : phases) {
            auto& lists = phases_.emplace_back();
            for (const Lists& all : phase) lists.push_back({all.at(coordinate), 0});
        }
    }

    /// Lists of the first phase that is not over, in their order; none when all are.
    [[nodiscard]] std::size_t lists() {
        while (phase_ < phases_.size() && over(phases_[phase_])) ++phase_;
        return phase_ < phases_.size() ? phases_[phase_].size() : 0;
    }
    [[nodiscard]] const Action* front(std::size_t list) const {
        const auto& [actions, at] = phases_.at(phase_).at(list);
        return at < actions.size() ? &actions[at] : nullptr;
    }
    void pop(std::size_t list) { ++phases_.at(phase_).at(list).at; }

private:
    struct Rest {
        std::vector<Action> actions;
        std::size_t at = 0;
    };
    static bool over(const std::vector<Rest>& lists) {
        return std::all_of(lists.begin(), lists.end(),
                           [](const Rest& rest) { return rest.at == rest.actions.size(); });
    }
    std::vector<std::vector<Rest>> phases_;
    std::size_t phase_ = 0;
};

struct Choice {
    double begin = 0;
    int rank = 0;
    PipeCoordinate coordinate{};
    std::size_t list = 0;
    friend auto operator<=>(const Choice&, const Choice&) = default;
};

/// B is on the longest way to the end of the step; F keeps other coordinates busy. Nobody waits for
/// a W but its net's update.
enum class Preference { B_then_F, B_only };

int rank_of(Kind kind, Preference preference) {
    if (kind == Kind::W) return 2;
    return !is_forward(kind) ? 0 : preference == Preference::B_then_F ? 1 : 2;
}

std::optional<Choice> next_of(std::vector<Fronts>& fronts, const DryRun& dry_run,
                              Preference preference) {
    std::optional<Choice> best;
    for (const PipeCoordinate c : each<PipeCoordinate>(std::ssize(fronts))) {
        Fronts& here = fronts[static_cast<std::size_t>(c)];
        const std::size_t lists = here.lists();
        for (std::size_t list = 0; list < lists; ++list) {
            const Action* action = here.front(list);
            if (action == nullptr) continue;
            const auto begin = dry_run.begin_of(*action, c);
            if (!begin) continue;
            const Choice choice{*begin, rank_of(action->kind, preference), c, list};
            if (!best || choice < *best) best = choice;
        }
    }
    return best;
}

Schedule one_after_another(const StepGraph& graph, const std::vector<Phase>& phases,
                           std::size_t coordinates) {
    Schedule all{"", graph, Lists(coordinates)};
    for (const Phase& phase : phases)
        for (const Lists& lists : phase)
            for (std::size_t c = 0; c < coordinates; ++c)
                all.coordinates[c].insert(all.coordinates[c].end(), lists[c].begin(),
                                          lists[c].end());
    return all;
}

/// Runs the phases and writes down the order in which each coordinate did its actions.
Lists merged(const std::vector<Phase>& phases, DryRun dry_run, std::size_t coordinates,
             Preference preference) {
    std::vector<Fronts> fronts;
    for (std::size_t c = 0; c < coordinates; ++c) fronts.emplace_back(phases, c);
    Lists lists(coordinates);
    while (const auto next = next_of(fronts, dry_run, preference)) {
        const auto at = static_cast<std::size_t>(next->coordinate);
        const Action action = *fronts[at].front(next->list);
        fronts[at].pop(next->list);
        dry_run.perform(action, next->coordinate);
        lists[at].push_back(action);
    }
    return lists;
}

}  // namespace

Lists joined(const std::vector<Phase>& phases, const ScheduleShape& shape) {
    const auto coordinates = static_cast<std::size_t>(shape.coordinates);
    const Schedule unmerged = one_after_another(shape.graph, phases, coordinates);
    const auto alone = [](const Phase& phase) { return phase.size() == 1; };
    if (std::all_of(phases.begin(), phases.end(), alone)) return unmerged.coordinates;
    const Costs costs = unit_costs(shape.graph, shape);
    const DryRun dry_run(unmerged, shape.micro_batches, costs);
    Schedule best;
    for (const Preference preference : {Preference::B_then_F, Preference::B_only}) {
        Schedule other{"", shape.graph, merged(phases, dry_run, coordinates, preference)};
        if (best.coordinates.empty() ||
            simulate(other, costs).makespan_s < simulate(best, costs).makespan_s)
            best = std::move(other);
    }
    return best.coordinates;
}

}  // namespace civitas::schedule
