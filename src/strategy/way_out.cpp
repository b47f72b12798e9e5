#include "civitas/strategy/way_out.hpp"

#include "civitas/base/error.hpp"
#include "civitas/planner/layout.hpp"
#include "civitas/strategy/savings.hpp"
#include "civitas/strategy/shard_offers.hpp"

#include <algorithm>
#include <utility>

namespace civitas::strategy {
namespace {

class WayOutSearch {
public:
    WayOutSearch(const planner::CostModel& model, planner::LayoutOptions options)
        : model_(model), options_(std::move(options)), asked_(options_.shard) {
        options_.schedule = planner::ScheduleName{};
        options_.placement = planner::StageOrder::automatic;
        options_.stages.clear();
    }

    /// Whether the mesh fits, with some options; what drops most is asked first.
    bool fits(MeshShape mesh) {
        if (model_.workload().micro_batches() % mesh[Axis::data] != 0 || !find_level(mesh))
            return false;
        for (const Saving saving : savings)
            if (fits(mesh, saving)) break;
        planner::LayoutOptions found = options_;
        found.placement = reversed_ ? planner::StageOrder::reversed : planner::StageOrder::same;
        found_.words = command_options(found, mesh).substr(1);
        return true;
    }

    [[nodiscard]] const WayOut& found() const noexcept { return found_; }

private:
    /// Leaves the least level with which the mesh fits in the layout, of that asked for and those
    /// beyond; false when there is none.
    bool find_level(MeshShape mesh) {
        options_.shard = asked_;
        if (fits(mesh, savings.back())) return true;
        auto levels = shard_levels(model_.workload(), options_, mesh);
        std::erase_if(levels, [this](ShardLevel level) { return level <= asked_; });
        const auto fits_at = [&](ShardLevel level) {
            options_.shard = level;
            return fits(mesh, savings.back());
        };
        if (levels.empty() || !fits_at(levels.back())) return false;
        if (std::none_of(levels.begin(), levels.end(), fits_at)) options_.shard = levels.back();
        return true;
    }
    /// Leaves the saving in the layout, and whether reversed stages fit.
    bool fits(MeshShape mesh, Saving saving) {
        options_.redraw = saving.redraw;
        options_.recompute = saving.recompute;
        const std::int64_t placements = mesh[Axis::pipe] > 1 ? 2 : 1;
        const std::int64_t visits =
            placements * (model_.workload().micro_batches_of_rank(mesh) * mesh[Axis::pipe]);
        if (found_.visits + visits > most_visits_for_a_hint) return false;
        try {
            ++found_.layouts;
            found_.visits += visits;
            const planner::LaidOut found =
                lay_out(model_, options_, mesh, planner::SearchBudget::fit);
            reversed_ = found.layout.has_reversed();
            return found.lacking_bytes == 0;
        } catch (const UsageError&) {
            return false;  // more stages than layers
        }
    }

    const planner::CostModel& model_;
    planner::LayoutOptions options_;
    ShardLevel asked_;
    bool reversed_ = false;
    WayOut found_;
};

/// Without words where no mesh fits.
WayOut fitting_mesh(const planner::CostModel& model, const planner::LayoutOptions& options) {
    WayOutSearch search(model, options);
    const int ranks = model.ranks();
    for (int tensor = 1; ranks % tensor == 0 && !uncut(model.workload(), tensor); tensor *= 2)
        for (const MeshShape mesh : shapes_of(ranks, tensor))
            if (search.fits(mesh)) return search.found();
    return search.found();
}

}  // namespace

WayOut way_out(const planner::CostModel& model, const planner::LayoutOptions& asked) {
    planner::LayoutOptions options = asked;
    WayOut found = fitting_mesh(model, options);
    for (const Offload more : {Offload::host, Offload::disk}) {
        const bool helps = more == Offload::disk || computes_on_gpus(model, options);
        if (!found.words.empty() || !helps || options.offload >= more) continue;
        options.offload = more;
        found = fitting_mesh(model, options);
    }
    if (found.words.empty())
        found.words = "more nodes or memory, fewer ranks a node, or a smaller --micro-batch";
    planner::Workload workload = model.workload();
    if (!std::exchange(workload.copies_checkpoints, false)) return found;
    const auto other = way_out({workload, model.machine(), model.nodes()}, asked).words;
    if (other != found.words) found.words += ", or " + other + " --checkpoint-mode sync";
    return found;
}

std::string way_out_of(const Ranking& ranking, const planner::CostModel& model,
                       const planner::LayoutOptions& asked) {
    if (std::ranges::none_of(ranking.rejected, &Rejected::of_memory))
        return "another --batch or --micro-batch, or other --ranks";
    return way_out(model, asked).words;
}

}  // namespace civitas::strategy
