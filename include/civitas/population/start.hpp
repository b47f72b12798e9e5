#pragma once
/// A population before it begins: what its options say, and what its ranks have of a machine.
#include "civitas/base/log.hpp"
#include "civitas/comm/communicator.hpp"
#include "civitas/planner/options.hpp"
#include "civitas/population/members.hpp"

#include <vector>

namespace civitas::population {

/// The members that --population and --vary ask for. Throws UsageError, also for options that do
/// not go with them, and where --run is the folder of a run of its own.
[[nodiscard]] std::vector<Member> members_of(const planner::Configuration& configuration);

/// Throws UsageError where a member was begun with other values of its settings than its
/// configuration has, in which `auto` is what it stands for.
void require_same(const Member& member, const planner::Configuration& resolved);

/// What becomes of the ranks of a member that has failed: they sleep, or join the others.
enum class WhenFailed { idle, join };
/// What --when-failed says. Throws UsageError for `join` where ranks cannot be added to a member.
[[nodiscard]] WhenFailed when_failed(const planner::Configuration& configuration);

/// Throws UsageError where one model is asked for with options of a population, or in its folder.
void check_alone(const planner::RunOptions& run_options);

/// Fills in what a rank has of its machine, where the ranks of other members are on it, too: its
/// share, and threads. Collective over the job; throws AgreedError for a mesh that does not fit the
/// ranks of a member. Ranks that are left over take part.
void share_machine(const comm::Communicator& job, const Groups& groups,
                   planner::LayoutOptions& options, Log& log);

}  // namespace civitas::population
