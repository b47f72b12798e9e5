#pragma once
/// A population: several models trained side by side, each by a group of a job's ranks.
#include "civitas/base/log.hpp"
#include "civitas/base/signals.hpp"
#include "civitas/comm/communicator.hpp"
#include "civitas/population/table.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace civitas::population {

/// What is done with a member by its own ranks, which are all that such a call is collective over.
/// An AgreedError is the end of the member alone.
struct Work {
    std::function<Exit(const comm::Communicator& ranks, const Member& member, Log& log)> train;
    std::function<Figures(const comm::Communicator& ranks, const Member& member, Log& log)>
        evaluate;
    /// Steps that a member has made; asked of the first of its ranks.
    std::function<std::int64_t(const Member& member)> steps;
    Comparison comparison = comparison_of(TaskKind::gan);  ///< of what evaluate() returns
};

/// How ranks of a member that has failed join the others.
struct Joining {
    std::int64_t micro_batches = 1;  ///< of a step, which the ranks of a member share evenly
    /// Called before members go on with other ranks; collective over the job.
    std::function<void(const Groups& groups)> prepare;
};

/// Trains all members, then compares those that are done, unless one was stopped: the table is told
/// and written to `folder`/population.txt, and `folder`/best becomes a link to the best. A request
/// to stop that any rank sees stops all, and `folder`/stopped says so, in the place of a table of
/// an earlier job. Ranks whose member has ended sleep until the others have. With `joining`, where
/// a member fails, the others are asked to stop at the end of an epoch
/// (StopSignals::requested_after_epoch), and those that have done so are trained again, by all
/// ranks of the job. Returns the code of the job, see exit_of(). Collective; throws AgreedError
/// where no member came to a step, for a table or a link that cannot be written, and, before the
/// first step, where `folder`/best is no link.
[[nodiscard]] Exit train(const comm::Communicator& job, const std::filesystem::path& folder,
                         const std::vector<Member>& members, const Work& work, StopSignals& signals,
                         const std::optional<Joining>& joining = {});

}  // namespace civitas::population
