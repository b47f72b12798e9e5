#include "dry_run.hpp"
#include "patterns.hpp"

#include "civitas/base/error.hpp"
#include "civitas/schedule/actions.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <variant>

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

/// What is known of the front of a list: when it can begin, or what it waits for; nothing yet.
using Outlook = std::variant<std::monostate, Choice, Completion>;

/// The phases as they are run, and the order in which each coordinate does its actions.
class Merge {
public:
    Merge(const std::vector<Phase>& phases, DryRun dry_run, std::size_t coordinates,
          Preference preference)
        : dry_run_(std::move(dry_run)),
          preference_(preference),
          outlooks_(coordinates),
          lists_(coordinates) {
        for (std::size_t c = 0; c < coordinates; ++c) fronts_.emplace_back(phases, c);
    }

    [[nodiscard]] Lists merged() && {
        while (const auto next = this->next()) perform(*next);
        for (Fronts& fronts : fronts_) ensure(fronts.lists() == 0, "phases do not block");
        return std::move(lists_);
    }

private:
    [[nodiscard]] std::optional<Choice> next() {
        std::optional<Choice> best;
        for (const PipeCoordinate c : each<PipeCoordinate>(std::ssize(fronts_))) {
            auto& outlooks = outlooks_[static_cast<std::size_t>(c)];
            if (outlooks.empty()) outlooks.resize(fronts_[static_cast<std::size_t>(c)].lists());
            for (std::size_t list = 0; list < outlooks.size(); ++list) {
                Outlook& outlook = outlooks[list];
                if (std::holds_alternative<std::monostate>(outlook)) outlook = outlook_of(c, list);
                const auto* const choice = std::get_if<Choice>(&outlook);
                if (choice != nullptr && (!best || *choice < *best)) best = *choice;
            }
        }
        return best;
    }

    /// An outlook changes when its coordinate does something, or when what it waits for is done.
    void perform(const Choice& choice) {
        const auto at = static_cast<std::size_t>(choice.coordinate);
        const Action action = *fronts_[at].front(choice.list);
        fronts_[at].pop(choice.list);
        dry_run_.perform(action, choice.coordinate);
        lists_[at].push_back(action);
        outlooks_[at].clear();
        for (const Completion& done : completions_of(action, choice.coordinate))
            for (auto& outlooks : outlooks_)
                for (Outlook& outlook : outlooks)
                    if (outlook == Outlook(done)) outlook = {};
    }

    [[nodiscard]] Outlook outlook_of(PipeCoordinate c, std::size_t list) const {
        const Action* const action = fronts_[static_cast<std::size_t>(c)].front(list);
        if (action == nullptr) return {};
        if (const auto begin = dry_run_.begin_of(*action, c))
            return Choice{*begin, rank_of(action->kind, preference_), c, list};
        return *dry_run_.unmet(*action, c);
    }

    std::vector<Fronts> fronts_;  ///< by coordinate
    DryRun dry_run_;
    Preference preference_;
    std::vector<std::vector<Outlook>> outlooks_;  ///< of each list of each coordinate
    Lists lists_;
};

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

}  // namespace

Lists joined(const std::vector<Phase>& phases, const ScheduleShape& shape) {
    const auto coordinates = static_cast<std::size_t>(shape.coordinates);
    const Schedule unmerged = one_after_another(shape.graph, phases, coordinates);
    const auto alone = [](const Phase& phase) { return phase.size() == 1; };
    if (std::all_of(phases.begin(), phases.end(), alone)) return unmerged.coordinates;
    const Costs costs = unit_costs(shape.graph, shape);
    const DryRun dry_run(unmerged, shape.micro_batches, costs);
    Schedule best;
    double best_s = std::numeric_limits<double>::infinity();
    for (const Preference preference : {Preference::B_then_F, Preference::B_only}) {
        Schedule other{"", shape.graph, Merge(phases, dry_run, coordinates, preference).merged()};
        const double seconds = makespan(other, costs);
        if (!(seconds < best_s)) continue;
        best_s = seconds;
        best = std::move(other);
    }
    return best.coordinates;
}

}  // namespace civitas::schedule
