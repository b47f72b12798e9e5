#include "civitas/strategy/candidates.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/planner/bounds.hpp"
#include "civitas/strategy/savings.hpp"
#include "civitas/strategy/shard_offers.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <future>
#include <mutex>
#include <utility>
#include <variant>

namespace civitas::strategy {
namespace {

constexpr std::array schedules{"1f1b", "zero-bubble", "gan", "interleaved:2", "gpipe", "naive"};
constexpr std::array stage_orders{planner::StageOrder::same, planner::StageOrder::reversed};

std::string without_hint(const UsageError& e) {
    const std::string message = e.what();
    return message.substr(0, message.find(". Hint"));
}

class CandidateSearch {
public:
    CandidateSearch(const planner::CostModel& model, planner::LayoutOptions options,
                    ShardSearch shards)
        : model_(model), options_(std::move(options)), shards_(shards) {
        if (shards == ShardSearch::all) options_.shard = ShardLevel::none;
    }

    /// With one pipe coordinate all schedules are the same table.
    void try_all(MeshShape mesh) {
        levels_ = levels_of(mesh);
        for (const char* schedule : schedules)
            for (const planner::StageOrder placement : stage_orders) {
                if (mesh[Axis::pipe] == 1 &&
                    (schedule != schedules[0] || placement != stage_orders[0]))
                    continue;
                options_.schedule = planner::schedule_named(schedule);
                options_.placement = placement;
                try_savings(mesh);
            }
    }

    [[nodiscard]] std::optional<Candidate>& best() { return best_; }
    [[nodiscard]] Rejected rejected(MeshShape mesh) const {
        return {mesh, why_not_, least_bytes_ > 0};
    }

private:
    /// Of all levels those that keep the sums of the first.
    [[nodiscard]] std::vector<ShardLevel> levels_of(MeshShape mesh) const {
        if (shards_ == ShardSearch::as_asked) return {options_.shard};
        const auto same_sums = [&](ShardLevel level) {
            return sums_as_one_rank(model_.workload().micro_batches(), mesh[Axis::data], level);
        };
        auto levels = shard_levels(model_.workload(), options_, mesh);
        std::erase_if(levels, [&](ShardLevel level) {
            return same_sums(options_.shard) && !same_sums(level);
        });
        return levels;
    }

    void try_savings(MeshShape mesh) {
        std::int64_t unsaved = 0;
        for (const Saving saving : savings) {
            options_.redraw = saving.redraw;
            options_.recompute = saving.recompute;
            try {
                planner::check_batch(model_.workload(), mesh);
                auto laid_out = lay_out(model_, options_, mesh, planner::SearchBudget::compare);
                if (consider_levels(laid_out.layout, unsaved)) return;
            } catch (const UsageError& e) {
                if (least_bytes_ == 0) why_not_ = without_hint(e);
                return;
            }
        }
    }

    /// Other levels share the stages of a layout, which are what takes long to find. Returns
    /// whether the layout itself fits. `unsaved`: 0 until it is known.
    bool consider_levels(const planner::ExecutionLayout& layout, std::int64_t& unsaved) {
        const bool fits = consider(layout, unsaved);
        for (const ShardLevel level : levels_)
            if (level != layout.shard)
                consider(with_shard_level(layout, level, model_.workload()), unsaved);
        return fits;
    }

    /// False when it needs too much memory; only what fits is simulated.
    bool consider(planner::ExecutionLayout layout, std::int64_t& unsaved) {
        const double room = model_.room();
        planner::StepPlan plan = plan_without_times(model_, std::move(layout));
        if (unsaved == 0) unsaved = plan.peak_bytes();
        if (const auto bytes = plan.peak_bytes(); static_cast<double>(bytes) > room) {
            if (least_bytes_ == 0 || bytes < least_bytes_) least_bytes_ = bytes;
            why_not_ = text("a rank needs ", megabytes(least_bytes_), ", it has ",
                            megabytes(static_cast<std::int64_t>(room)));
            return false;
        }
        plan.step = schedule::simulate(plan.layout.schedule, plan.costs);
        // Of equal ones the first, which is the simplest.
        if (!best_ || plan.seconds_of_step() < 0.999 * best_->plan.seconds_of_step()) {
            best_ = Candidate{options_, std::move(plan), unsaved};
            best_->options.shard = best_->plan.layout.shard;
        }
        return true;
    }

    const planner::CostModel& model_;
    planner::LayoutOptions options_;
    ShardSearch shards_;
    std::vector<ShardLevel> levels_;  ///< of the mesh that is tried
    std::optional<Candidate> best_;
    std::int64_t least_bytes_ = 0;  ///< of those that need too much
    std::string why_not_;
};

using Found = std::variant<Rejected, Candidate>;

/// The best plan of one mesh.
Found search(const planner::CostModel& model, const planner::LayoutOptions& options,
             ShardSearch shards, MeshShape mesh) {
    if (auto why = uncut(model.workload(), mesh[Axis::tensor]))
        return Rejected{mesh, std::move(*why)};
    CandidateSearch search(model, options, shards);
    search.try_all(mesh);
    if (search.best()) return std::move(*search.best());
    return search.rejected(mesh);
}

/// Those that are compared: tensor is a power of two.
std::vector<MeshShape> meshes_of(const planner::Workload& workload, int ranks) {
    std::vector<MeshShape> meshes;
    for (int tensor = 1; ranks % tensor == 0; tensor *= 2) {
        if (uncut(workload, tensor)) {
            meshes.push_back({{Axis::data, ranks / tensor}, {Axis::tensor, tensor}});
            continue;
        }
        const auto shapes = shapes_of(ranks, tensor);
        meshes.insert(meshes.end(), shapes.begin(), shapes.end());
    }
    return meshes;
}

/// Runs the same work on so many threads, this one among them; throws what one of them threw, when
/// all have ended.
void run_on_threads(std::size_t threads, const std::function<void()>& work) {
    std::vector<std::future<void>> others;
    for (std::size_t i = 1; i < threads; ++i)
        others.push_back(std::async(std::launch::async, work));
    work();
    for (auto& other : others) other.get();
}

}  // namespace

std::optional<std::string> uncut(const planner::Workload& workload, int tensor) {
    try {
        (void)workload.tensor_splits(tensor);
    } catch (const UsageError& e) {
        return without_hint(e);
    }
    return std::nullopt;
}

bool is_tie(const planner::StepPlan& slower, const planner::StepPlan& faster) {
    constexpr double told_apart = 1.05;  // plans are no better than that
    return slower.seconds_of_step() <= told_apart * faster.seconds_of_step();
}

void prefer_same_bits(std::vector<Candidate>& candidates) {
    const auto keeps_bits = [](const Candidate& candidate) {
        return candidate.plan.layout.mesh[Axis::tensor] == 1;
    };
    const auto best = std::find_if(candidates.begin(), candidates.end(), keeps_bits);
    if (best == candidates.end() || !is_tie(best->plan, candidates.front().plan)) return;
    std::rotate(candidates.begin(), best, best + 1);
}

Ranking rank_meshes(const planner::CostModel& model, const planner::LayoutOptions& options,
                    ShardSearch shards, const SearchConduct& conduct) {
    const auto meshes = meshes_of(model.workload(), model.ranks());
    std::vector<Found> all(meshes.size());
    std::atomic<std::size_t> next = 0;
    std::mutex mutex;
    std::size_t done = 0;
    const auto threads = static_cast<std::size_t>(conduct.threads);
    run_on_threads(std::min(threads, meshes.size()), [&] {
        for (std::size_t i = next++; i < meshes.size(); i = next++) {
            all[i] = search(model, options, shards, meshes[i]);
            const std::scoped_lock lock(mutex);
            if (conduct.progress) conduct.progress(++done, meshes.size());
        }
    });
    Ranking ranking;
    for (Found& found : all)
        if (auto* const candidate = std::get_if<Candidate>(&found))
            ranking.candidates.push_back(std::move(*candidate));
        else
            ranking.rejected.push_back(std::get<Rejected>(std::move(found)));
    std::stable_sort(ranking.candidates.begin(), ranking.candidates.end(),
                     [](const Candidate& a, const Candidate& b) {
                         return a.plan.seconds_of_step() < b.plan.seconds_of_step();
                     });
    prefer_same_bits(ranking.candidates);
    return ranking;
}

// `train` left to itself would choose a placement by its own measured times, so it is said.
std::string command_options(const planner::LayoutOptions& options, MeshShape mesh) {
    return text(
        " --mesh ", to_string(mesh),
        mesh[Axis::pipe] > 1 ? text(" --schedule ", name_of(options.schedule), " --placement ",
                                    to_string(options.placement))
                             : "",
        options.replicas == 1 ? "" : text(" --replicas ", options.replicas),
        options.shard == ShardLevel::none ? "" : text(" --shard ", to_string(options.shard)),
        options.redraw ? " --redraw" : "", options.recompute ? " --recompute" : "",
        options.offload == Offload::none ? "" : text(" --offload ", to_string(options.offload)),
        options.weight_copies == WeightCopies::rank ? " --weight-copies rank" : "");
}

}  // namespace civitas::strategy
