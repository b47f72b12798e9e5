#include "dry_run.hpp"

#include <algorithm>

namespace civitas::schedule {

DryRun::DryRun(const Schedule& schedule, std::int64_t micro_batches, const Costs& costs)
    : dependencies_(schedule, costs.stages(), micro_batches),
      done_(schedule.graph),
      clocks_(schedule, placement_of(schedule), micro_batches, costs) {}

std::optional<Completion> DryRun::unmet(const Action& action, PipeCoordinate coordinate) const {
    for (const Completion& completion : dependencies_.of(action, coordinate))
        if (!done_.contains(completion)) return completion;
    return std::nullopt;
}

std::optional<double> DryRun::begin_of(const Action& action, PipeCoordinate coordinate) const {
    double begin = clocks_.free_for(action, coordinate);
    for (const Completion& needed : dependencies_.of(action, coordinate)) {
        const auto done = done_.find(needed);
        if (!done) return std::nullopt;
        const bool here = needed.coordinate == coordinate;
        begin = std::max(begin, ends_[static_cast<std::size_t>(*done)] +
                                    (here ? 0 : clocks_.message_seconds(needed.action)));
    }
    return begin;
}

bool DryRun::perform(const Action& action, PipeCoordinate coordinate) {
    const auto begin = begin_of(action, coordinate);
    if (!begin) return false;
    for (const Completion& completion : completions_of(action, coordinate))
        done_.add(completion, std::ssize(ends_));
    ends_.push_back(clocks_.perform(action, coordinate, *begin));
    return true;
}

}  // namespace civitas::schedule
