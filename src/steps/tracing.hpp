#pragma once
/// What ranks did, as spans and messages of a trace.
#include "civitas/parallel/action_observer.hpp"
#include "civitas/planner/execution_layout.hpp"
#include "civitas/report/trace.hpp"

#include <span>
#include <vector>

namespace civitas::steps {

/// Recorded actions of one rank as spans of a trace: waiting and doing apart.
[[nodiscard]] std::vector<report::TraceSpan> spans_of(const schedule::StepGraph& graph, int rank,
                                                      std::span<const parallel::Performed> actions);

/// Exchanges and meetings of one rank, which lie inside its actions.
[[nodiscard]] std::vector<report::TraceSpan> spans_of(int rank, std::span<const TalkSpan> talks);

/// The messages between coordinates of one row of the pipe axis. `actions` and `ranks` by pipe
/// coordinate; the actions may be those of several steps.
[[nodiscard]] std::vector<report::TraceMessage> messages_of(
    const schedule::StepGraph& graph, std::span<const std::span<const parallel::Performed>> actions,
    std::span<const int> ranks, const schedule::StagePlacement& placement,
    const schedule::StageCounts& stages);

}  // namespace civitas::steps
