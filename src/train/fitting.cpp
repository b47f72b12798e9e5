#include "fitting.hpp"

#include "ranking.hpp"
#include "savings.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace civitas::train {
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

/// A mesh of as many ranks that fits, as options; or what else may help.
std::string way_out(const Configuration& c, int ranks, const Resources& resources,
                    const LayerSeconds& seconds) {
    Configuration free = c;
    free.layout.schedule = ScheduleName{};
    free.layout.stages.clear();
    free.layout.discriminator_stages.clear();
    const Ranking ranking = rank_meshes(free, ranks, resources, seconds);
    if (ranking.offers.empty())
        return "more nodes or memory, fewer ranks a node, or a smaller --micro-batch";
    return layout_options(ranking.offers.front()).substr(1);
}

}  // namespace

Fitted fitted_plan(const Configuration& configuration, const Setting& setting,
                   const Resources& resources, const LayerSeconds& seconds) {
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
        lay_out(laid_out, c, resources, seconds, Effort::search);
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

void require_fit(const Fitted& fitted, const Configuration& configuration,
                 const Resources& resources, const LayerSeconds& seconds) {
    if (fitted.lacks.empty()) return;
    throw UsageError(fitted.lacks, Hint{way_out(configuration, fitted.plan.setting.mesh.size(),
                                                resources, seconds)});
}

}  // namespace civitas::train
