#include "dry_run.hpp"
#include "gathered_stages.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/schedule/actions.hpp"
#include "civitas/schedule/sharded_weights.hpp"

#include <set>

namespace civitas::schedule {
namespace {

/// Where an action stands in a table.
struct Place {
    PipeCoordinate coordinate{};
    std::size_t at = 0;
};

[[noreturn]] void refuse(const Schedule& schedule, const Place& place, const std::string& reason) {
    const Action& action = schedule[place.coordinate][place.at];
    throw UsageError(text("schedule ", schedule.name, ", coordinate ", index(place.coordinate),
                          ", action ", place.at, ": ", to_string(schedule.graph, action),
                          " cannot run: ", reason));
}

[[noreturn]] void refuse_without(const Schedule& schedule, const Action& missing) {
    throw UsageError(
        text("schedule ", schedule.name, ": ", to_string(schedule.graph, missing), " is missing"));
}

/// What can be said of each action without running the table.
class TableIndex {
public:
    TableIndex(const Schedule& schedule, const StageCounts& stages, std::int64_t micro_batches)
        : stages_(stages),
          micro_batches_(micro_batches),
          graph_(schedule.graph),
          placement_(placement_of(schedule)),
          completions_(schedule.graph) {
        for (const PipeCoordinate c : each<PipeCoordinate>(placement_.coordinates()))
            for (std::size_t i = 0; i < schedule[c].size(); ++i) {
                const Action& action = schedule[c][i];
                if (const auto reason = violation(action, c)) refuse(schedule, {c, i}, *reason);
                for (const Completion& completion : completions_of(action, c))
                    if (!completions_.add(completion))
                        refuse(schedule, {c, i}, "has been done before");
                if (action.kind == Kind::redraw) redrawn_.insert({action.pass, action.micro});
            }
    }

    [[nodiscard]] bool has(const Completion& completion) const {
        return completions_.contains(completion);
    }

    /// Something of the shape that the table does not do.
    [[nodiscard]] std::optional<Action> missing() const {
        for (const PassId pass : graph_.pass_ids())
            for (const StageId stage : each<StageId>(stages_[graph_[pass].net]))
                for (std::int64_t m = 0; m < micro_batches_; ++m)
                    if (auto action = missing_of(
                            {graph_[pass].net, stage, pass, Kind::F, LocalMicroBatch{m}}))
                        return action;
        for (const NetId net : graph_.update_order())
            for (const PipeCoordinate c : each<PipeCoordinate>(placement_.coordinates()))
                for (const Kind kind : {Kind::reduce, Kind::step})
                    if (const Action update{.net = net, .kind = kind};
                        !placement_.stages_of(net, c).empty() && !has({update, c}))
                        return update;
        return std::nullopt;
    }

private:
    /// Why an action has no place here at all.
    [[nodiscard]] std::optional<std::string> violation(const Action& a, PipeCoordinate here) const {
        const std::string& net = graph_[a.net];
        if (of_whole_net(a.kind)) {
            if (placement_.stages_of(a.net, here).empty())
                return text("no stage of ", net, " lives here");
            return std::nullopt;
        }
        if (const int stages = stages_[a.net]; index(a.stage) < 0 || index(a.stage) >= stages)
            return text(net, " has ", counted(stages, "stage", "stages"));
        const auto home = placement_.find(a.net, a.stage);
        if (!home) return "its stage has no other actions";
        if (home != here) return text("its stage has other actions on coordinate ", index(*home));
        if (of_weights(a.kind)) return std::nullopt;
        if (index(a.micro) < 0 || index(a.micro) >= micro_batches_)
            return text("a rank has ", micro_batches_, " micro-batches");
        const Pass& pass = graph_[a.pass];
        if (pass.net != a.net) return text(net, " has no pass ", pass.name);
        if (includes_W(a.kind) && !pass.weights)
            return text(net, " has no W in its pass ", pass.name);
        if (a.kind == Kind::redraw && !graph_.is_redrawable(a.pass))
            return text(net, " is not redrawn");
        return std::nullopt;
    }

    /// Of one visit, given by its F.
    [[nodiscard]] std::optional<Action> missing_of(const Action& f) const {
        const auto home = placement_.find(f.net, f.stage);
        for (const Kind kind : {Kind::F, Kind::B, Kind::W, Kind::redraw}) {
            if (kind == Kind::W && !graph_[f.pass].weights) continue;
            if (kind == Kind::redraw && !redrawn_.contains({f.pass, f.micro})) continue;
            if (!home || !has({with(f, kind), *home})) return with(f, kind);
        }
        return std::nullopt;
    }

    const StageCounts& stages_;
    std::int64_t micro_batches_;
    const StepGraph& graph_;
    StagePlacement placement_;
    Completions completions_;
    std::set<std::pair<PassId, LocalMicroBatch>> redrawn_;
};

/// A table says either of all weights or of none when they are here.
void check_gathers(const Schedule& schedule) {
    if (!has_gathers(schedule)) return;
    for (const PipeCoordinate c : each<PipeCoordinate>(std::ssize(schedule.coordinates))) {
        GatheredStages gathered(schedule.graph);
        for (std::size_t i = 0; i < schedule[c].size(); ++i)
            if (const auto reason = gathered.perform(schedule[c][i]))
                refuse(schedule, {c, i}, *reason);
        if (const auto missing = gathered.missing_release()) refuse_without(schedule, *missing);
    }
}

/// Of coordinates that wait for each other, blames the one for which what it waits for never comes,
/// or stands later in its own list. In a circle of waiting any is as good.
[[noreturn]] void refuse_stuck(const Schedule& schedule, const std::vector<std::size_t>& at,
                               const DryRun& dry_run, const TableIndex& index_of_table,
                               PipeCoordinate stuck) {
    std::set<PipeCoordinate> seen;
    for (PipeCoordinate c = stuck;;) {
        const Place place{c, at[static_cast<std::size_t>(c)]};
        const auto needed = dry_run.unmet(schedule[c][place.at], c);
        seen.insert(c);
        if (!index_of_table.has(*needed) || seen.contains(needed->coordinate))
            refuse(schedule, place, to_string(schedule.graph, needed->action) + " must come first");
        c = needed->coordinate;
    }
}

}  // namespace

void check_schedule(const Schedule& schedule, const StageCounts& stages,
                    std::int64_t micro_batches) {
    const TableIndex index_of_table(schedule, stages, micro_batches);
    check_gathers(schedule);
    const Costs costs = unit_costs(stages);
    DryRun dry_run(schedule, micro_batches, costs);
    const auto at = run(schedule, [&](const Action& action, PipeCoordinate coordinate) {
        return dry_run.perform(action, coordinate);
    });
    for (const PipeCoordinate c : each<PipeCoordinate>(std::ssize(at)))
        if (at[static_cast<std::size_t>(c)] < schedule[c].size())
            refuse_stuck(schedule, at, dry_run, index_of_table, c);
    if (const auto missing = index_of_table.missing()) refuse_without(schedule, *missing);
}

void check_schedule(const Schedule& schedule, const ScheduleShape& shape) {
    check_schedule(schedule, shape.stage_counts(), shape.micro_batches);
}

}  // namespace civitas::schedule
