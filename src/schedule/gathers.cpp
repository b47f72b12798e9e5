#include "civitas/schedule/actions.hpp"
#include "civitas/schedule/sharded_weights.hpp"
#include "civitas/schedule/traffic.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>
#include <map>
#include <span>

namespace civitas::schedule {
namespace {

/// What gather brings.
struct Weights {
    NetId net{};
    StageId stage{};
    friend bool operator==(const Weights&, const Weights&) = default;
};

/// Actions of a list without another stage's weights or an update of the net between them.
struct Run {
    Weights weights;
    std::size_t last = 0;     ///< where in the list its last action stands
    std::size_t allowed = 0;  ///< from where on a gather brings what it reads
};

std::vector<Run> runs_of(const std::vector<Action>& actions) {
    std::map<NetId, std::size_t> updated;  // behind the last update so far
    std::vector<Run> runs;
    for (std::size_t i = 0; i < actions.size(); ++i) {
        const Action& a = actions[i];
        if (a.kind == Kind::step) updated[a.net] = i + 1;
        if (!reads_weights(a.kind)) continue;
        const Weights weights{a.net, a.stage};
        if (runs.empty() || runs.back().weights != weights || runs.back().allowed != updated[a.net])
            runs.push_back({weights, i, updated[a.net]});
        runs.back().last = i;
    }
    return runs;
}

/// Writes a list anew. The weights that are wanted between two actions are those of the run that
/// goes on or comes next, and of the one after it; not of one whose net is updated before.
class GatherWriter {
public:
    explicit GatherWriter(const std::vector<Action>& actions)
        : actions_(actions), runs_(runs_of(actions)) {}

    [[nodiscard]] std::vector<Action> write() {
        for (std::size_t i = 0; i < actions_.size(); ++i) {
            make_ready(i);
            list_.push_back(actions_[i]);
            if (run_ < runs_.size() && runs_[run_].last == i) ++run_;
        }
        make_ready(actions_.size());
        return std::move(list_);
    }

private:
    /// For action `at` and the next ones: first releases, then gathers.
    void make_ready(std::size_t at) {
        const auto soon =
            std::span(runs_).subspan(run_, std::min<std::size_t>(2, runs_.size() - run_));
        std::vector<Weights> kept;
        for (const Weights& weights : here_) {
            const bool wanted = std::ranges::any_of(
                soon, [&](const Run& run) { return run.allowed <= at && run.weights == weights; });
            if (wanted)
                kept.push_back(weights);
            else
                add(Kind::release, weights);
        }
        here_ = std::move(kept);
        for (const Run& run : soon) {
            if (run.allowed > at) return;
            if (std::ranges::find(here_, run.weights) != here_.end()) continue;
            add(Kind::gather, run.weights);
            here_.push_back(run.weights);
        }
    }
    void add(Kind kind, const Weights& weights) {
        list_.push_back({.net = weights.net, .stage = weights.stage, .kind = kind});
    }

    const std::vector<Action>& actions_;
    std::vector<Run> runs_;
    std::size_t run_ = 0;  ///< the one that goes on or comes next
    std::vector<Weights> here_;
    std::vector<Action> list_;
};

}  // namespace

bool has_gathers(const Schedule& schedule) {
    const auto weights = [](const Action& a) { return of_weights(a.kind); };
    return std::any_of(schedule.coordinates.begin(), schedule.coordinates.end(),
                       [&](const auto& list) { return std::ranges::any_of(list, weights); });
}

Schedule with_gathers(const Schedule& schedule) {
    ensure(!has_gathers(schedule), "gathers are written once");
    Schedule gathered{schedule.name, schedule.graph, {}};
    for (const auto& actions : schedule.coordinates)
        gathered.coordinates.push_back(GatherWriter(actions).write());
    return gathered;
}

std::int64_t gather_traffic(const Schedule& schedule, PipeCoordinate coordinate,
                            const Costs& costs) {
    std::int64_t bytes = 0;
    for (const Action& a : schedule[coordinate])
        if (a.kind == Kind::gather) bytes += costs.of(a.net, a.stage).gathered_bytes;
    return bytes;
}

}  // namespace civitas::schedule
