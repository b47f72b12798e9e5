#include "civitas/strategy/fitting.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/strategy/savings.hpp"

#include <optional>
#include <utility>

namespace civitas::strategy {
namespace {

bool fits(const planner::StepPlan& plan, double room) {
    return static_cast<double>(plan.peak_bytes()) <= room;
}

std::string too_much(const planner::StepPlan& plan, double room) {
    return text("a rank needs ", in_words(plan.largest_memory()), "; it has ",
                megabytes(static_cast<std::int64_t>(room)));
}

}  // namespace

Fitted fitted_plan(const planner::CostModel& model, const planner::LayoutOptions& options,
                   MeshShape mesh, planner::SearchBudget budget) {
    const double room = model.room();
    planner::LayoutOptions tried = options;
    const bool own_table = options.table() != nullptr;
    std::optional<planner::StepPlan> asked;
    for (const Saving saving : savings) {
        if (asked && own_table) break;
        if (saving.redraw < options.redraw || saving.recompute < options.recompute) continue;
        tried.redraw = saving.redraw;
        tried.recompute = saving.recompute;
        planner::StepPlan plan = plan_of(model, lay_out(model, tried, mesh, budget).layout);
        if (fits(plan, room)) {
            const auto told = asked ? text(too_much(*asked, room), ": takes ", in_words(saving),
                                           " by itself, with which it needs ",
                                           megabytes(plan.peak_bytes()), ", the same bits")
                                    : std::string();
            return {std::move(plan), tried, told, ""};
        }
        if (!asked) asked = std::move(plan);
    }
    const auto lacks = too_much(*asked, room);
    return {std::move(*asked), options, "", lacks};
}

}  // namespace civitas::strategy
