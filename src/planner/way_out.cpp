#include "civitas/planner/way_out.hpp"

#include "civitas/base/error.hpp"
#include "civitas/planner/candidates.hpp"
#include "civitas/planner/layout.hpp"
#include "civitas/planner/savings.hpp"

#include <optional>

namespace civitas::planner {
namespace {

class Search {
public:
    Search(const Configuration& c, const MachineModel& machine, const LayerTimings& timings)
        : configuration_(c), machine_(machine), timings_(timings) {
        LayoutOptions& options = configuration_.layout_options;
        options.schedule = ScheduleName{};
        options.placement = StageOrder::automatic;
        options.stages.clear();
        options.discriminator_stages.clear();
    }

    /// Options with which the mesh fits. What drops most is asked first: few meshes get further.
    std::optional<std::string> options_of(MeshShape mesh) {
        const Problem& problem = configuration_.problem;
        if (problem.micro_batches() % mesh[Axis::data] != 0 || !fits(mesh, savings.back()))
            return {};
        for (const Saving saving : savings)
            if (fits(mesh, saving)) break;
        Candidate candidate;
        candidate.options = configuration_.layout_options;
        candidate.options.placement = reversed_ ? StageOrder::reversed : StageOrder::same;
        candidate.plan.layout.mesh = mesh;
        return command_options(candidate).substr(1);
    }

    [[nodiscard]] WayOut found(std::string words) {
        found_.words = std::move(words);
        return found_;
    }

private:
    /// Leaves the saving in the layout, and how D's stages fit.
    bool fits(MeshShape mesh, Saving saving) {
        configuration_.layout_options.redraw = saving.redraw;
        configuration_.layout_options.recompute = saving.recompute;
        const std::int64_t placements = mesh[Axis::pipe] > 1 ? 2 : 1;
        const std::int64_t visits = placements * (configuration_.problem.micro_batches() /
                                                  mesh[Axis::data] * mesh[Axis::pipe]);
        if (found_.visits + visits > most_visits_for_a_hint) return false;
        ExecutionLayout layout;
        layout.mesh = mesh;
        try {
            ++found_.layouts;
            found_.visits += visits;
            const auto lacks =
                lay_out(layout, configuration_, machine_, timings_, SearchBudget::fit);
            reversed_ = layout.reversed();
            return lacks == 0;
        } catch (const UsageError&) {
            return false;  // more stages than layers
        }
    }

    Configuration configuration_;
    const MachineModel& machine_;
    const LayerTimings& timings_;
    bool reversed_ = false;
    WayOut found_;
};

/// Whether all layers can be cut in so many parts.
bool can_be_cut(const net::GanDescription& gan, int parts) {
    try {
        (void)net::tensor_plan(gan.generator, parts);
        (void)net::tensor_plan(gan.discriminator, parts);
        return true;
    } catch (const UsageError&) {
        return false;
    }
}

}  // namespace

WayOut way_out(const Configuration& configuration, int ranks, const MachineModel& machine,
               const LayerTimings& timings) {
    Search search(configuration, machine, timings);
    const auto& gan = configuration.problem.gan();
    for (int tensor = 1; ranks % tensor == 0 && can_be_cut(gan, tensor); tensor *= 2)
        for (int pipe = 1; pipe <= ranks / tensor; ++pipe) {
            if (ranks / tensor % pipe != 0) continue;
            const auto options = search.options_of(
                {{Axis::data, ranks / tensor / pipe}, {Axis::pipe, pipe}, {Axis::tensor, tensor}});
            if (options) return search.found(*options);
        }
    return search.found("more nodes or memory, fewer ranks a node, or a smaller --micro-batch");
}

}  // namespace civitas::planner
