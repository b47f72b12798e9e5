#include "civitas/planner/layout.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>

namespace civitas::planner {
namespace {

void require_line_for_each(const schedule::Schedule& schedule, MeshShape mesh) {
    if (std::ssize(schedule.coordinates) == mesh[Axis::pipe]) return;
    throw UsageError(text("schedule ", schedule.name, " has ", schedule.coordinates.size(),
                          " lines of actions, mesh ", to_string(mesh), " has ", mesh[Axis::pipe],
                          " pipe coordinates"),
                     Hint{"one line for each"});
}

/// The user's table says itself how many stages it has; every coordinate must have the same number.
schedule::Schedule schedule_for(const Configuration& c, MeshShape mesh, bool reversed) {
    schedule::ScheduleShape shape{.coordinates = mesh[Axis::pipe],
                                  .micro_batches = c.problem.micro_batches() / mesh[Axis::data],
                                  .redraw = c.layout_options.redraw,
                                  .recompute = c.layout_options.recompute,
                                  .reversed_discriminator = reversed};
    schedule::Schedule schedule;
    if (const auto* const ours = std::get_if<ScheduleName>(&c.layout_options.schedule)) {
        shape.chunks = ours->chunks;
        schedule = schedule::make_schedule(ours->name, shape);
    } else {
        schedule = *c.layout_options.table();
        require_line_for_each(schedule, mesh);
        const auto held = schedule::placement_of(schedule).stages_of(schedule::Net::generator, 0);
        shape.chunks = std::max(1, static_cast<int>(held.size()));
    }
    schedule::check_schedule(schedule, shape);
    return schedule;
}

ExecutionLayout laid_out(ExecutionLayout s, const Configuration& c, bool reversed) {
    s.schedule = schedule_for(c, s.mesh, reversed);
    s.placement = schedule::placement_of(s.schedule);
    const auto& gan = c.problem.gan();
    s.generator_cuts = net::tensor_plan(gan.generator, s.mesh[Axis::tensor]);
    s.discriminator_cuts = net::tensor_plan(gan.discriminator, s.mesh[Axis::tensor]);
    return s;
}

/// The placements to choose from; a user's own table has its own.
std::vector<bool> reversed_or_not(const LayoutOptions& options, MeshShape mesh) {
    if (options.placement != StageOrder::automatic)
        return {options.placement == StageOrder::reversed};
    if (mesh[Axis::pipe] == 1 || options.table() != nullptr) return {false};
    return {false, true};
}

}  // namespace

std::int64_t lay_out(ExecutionLayout& layout, const Configuration& c, const MachineModel& machine,
                     const LayerTimings& timings, SearchBudget budget) {
    std::optional<ExecutionLayout> best;
    PartitionCost least;
    for (const bool reversed : reversed_or_not(c.layout_options, layout.mesh)) {
        ExecutionLayout other = laid_out(layout, c, reversed);
        const auto price = choose_stages(other, c, machine, timings, budget);
        if (best && price >= least) continue;
        least = price;
        best = std::move(other);
    }
    layout = std::move(*best);
    return least.excess_bytes;
}

}  // namespace civitas::planner
