#include "civitas/planner/fitting.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/planner/savings.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace civitas::planner {
namespace {

const RankMemory& largest(const StepPlan& plan) {
    return *std::max_element(
        plan.memory.begin(), plan.memory.end(),
        [](const RankMemory& a, const RankMemory& b) { return a.sum() < b.sum(); });
}

bool fits(const StepPlan& plan, double room) {
    return static_cast<double>(plan.peak_bytes()) <= room;
}

std::string too_much(const StepPlan& plan, double room) {
    return text("a rank needs ", in_words(largest(plan)), "; it has ",
                megabytes(static_cast<std::int64_t>(room)));
}

}  // namespace

Fitted fitted_plan(const Configuration& configuration, const ExecutionLayout& layout,
                   const MachineModel& machine, const LayerTimings& timings, SearchBudget budget) {
    const double room = memory_of_rank(machine, layout.mesh.size());
    Configuration c = configuration;
    const bool own_table = c.layout_options.table() != nullptr;
    std::optional<StepPlan> asked;
    for (const Saving saving : savings) {
        if (asked && own_table) break;
        if (saving.redraw < configuration.layout_options.redraw ||
            saving.recompute < configuration.layout_options.recompute)
            continue;
        c.layout_options.redraw = saving.redraw;
        c.layout_options.recompute = saving.recompute;
        ExecutionLayout laid_out = layout;
        lay_out(laid_out, c, machine, timings, budget);
        StepPlan plan = plan_of(c, std::move(laid_out), machine, timings);
        if (fits(plan, room)) {
            const auto told = asked ? text(too_much(*asked, room), ": takes ", in_words(saving),
                                           " by itself, with which it needs ",
                                           megabytes(plan.peak_bytes()), ", the same bits")
                                    : std::string();
            return {std::move(plan), c.layout_options, told, ""};
        }
        if (!asked) asked = std::move(plan);
    }
    const auto lacks = too_much(*asked, room);
    return {std::move(*asked), configuration.layout_options, "", lacks};
}

}  // namespace civitas::planner
