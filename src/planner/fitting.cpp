#include "civitas/planner/fitting.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/planner/savings.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace civitas::planner {
namespace {

const RankMemory& largest(const Plan& plan) {
    return *std::max_element(
        plan.memory.begin(), plan.memory.end(),
        [](const RankMemory& a, const RankMemory& b) { return a.sum() < b.sum(); });
}

bool fits(const Plan& plan, double room) { return static_cast<double>(plan.peak_bytes()) <= room; }

std::string too_much(const Plan& plan, double room) {
    return text("a rank needs ", in_words(largest(plan)), "; it has ",
                megabytes(static_cast<std::int64_t>(room)));
}

}  // namespace

Fitted fitted_plan(const Configuration& configuration, const Setting& setting,
                   const Resources& resources, const LayerSeconds& seconds, Effort effort) {
    const double room = memory_of_rank(resources, setting.mesh.size());
    Configuration c = configuration;
    const bool own_table = c.layout.table() != nullptr;
    std::optional<Plan> asked;
    for (const Saving saving : savings) {
        if (asked && own_table) break;
        if (saving.redraw < configuration.layout.redraw ||
            saving.recompute < configuration.layout.recompute)
            continue;
        c.layout.redraw = saving.redraw;
        c.layout.recompute = saving.recompute;
        Setting laid_out = setting;
        lay_out(laid_out, c, resources, seconds, effort);
        Plan plan = plan_of(c, std::move(laid_out), resources, seconds);
        if (fits(plan, room)) {
            const auto told = asked ? text(too_much(*asked, room), ": takes ", in_words(saving),
                                           " by itself, with which it needs ",
                                           megabytes(plan.peak_bytes()), ", the same bits")
                                    : std::string();
            return {std::move(plan), c.layout, told, ""};
        }
        if (!asked) asked = std::move(plan);
    }
    const auto lacks = too_much(*asked, room);
    return {std::move(*asked), configuration.layout, "", lacks};
}

}  // namespace civitas::planner
