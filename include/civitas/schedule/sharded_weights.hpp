#pragma once
/// Tables for ranks that each keep a part of a net's weights: smaller stages, and when the weights
/// of one are here.
#include "civitas/schedule/schedule.hpp"

#include <vector>

namespace civitas::schedule {

/// Into how many stages each stage of each net is split, by NetId and StageId; at least 1.
using StageParts = std::vector<std::vector<int>>;

/// The table with every stage split into so many on the same coordinate, numbered on from the
/// net's input to its output. What goes forward visits the parts of a stage ascending, what goes
/// backward descending, one right after the other; BW stays B and W of a part. Precondition: the
/// table names no other stages.
[[nodiscard]] Schedule split_stages(const Schedule& schedule, const StageParts& parts);

/// Whether a table says itself when weights are gathered and released.
[[nodiscard]] bool has_gathers(const Schedule& schedule);

/// The table with gathers and releases: on each coordinate the weights of the stage that it needs,
/// and of the one that it needs next, so that those come while it works. Two stages are here at
/// most. A stage whose net is updated before it is needed again is released before that, and
/// gathered after it; so nothing is here when a list ends. Precondition: the table has been checked
/// and has no gathers.
[[nodiscard]] Schedule with_gathers(const Schedule& schedule);

}  // namespace civitas::schedule
