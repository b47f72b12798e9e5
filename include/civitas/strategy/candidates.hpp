#pragma once
/// All meshes of a number of ranks, each with its best schedule, and which of them to take.
#include "civitas/planner/step_plan.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace civitas::strategy {

/// The best that a mesh can do within a rank's memory.
struct Candidate {
    planner::LayoutOptions options;
    planner::StepPlan plan;
    std::int64_t bytes_unsaved = 0;  ///< a rank's, neither redrawn, recomputed nor sharded
};
struct Rejected {
    MeshShape mesh;
    std::string why;
    bool of_memory = false;
};
struct Ranking {
    /// Plans that fit, ascending by time of a step; but where one with a tensor axis is hardly
    /// faster than the best without, which keeps the bits, that one is first.
    std::vector<Candidate> candidates;
    std::vector<Rejected> rejected;
};

/// Which shard levels are compared: that of the options, or all that sum as one rank does.
enum class ShardSearch { as_asked, all };

/// Why the tensor axis cannot have so many ranks; nothing when it can.
[[nodiscard]] std::optional<std::string> uncut(const planner::Workload& workload, int tensor);

/// How a search is done: its result does not depend on that.
struct SearchConduct {
    int threads = 1;
    /// Is told of how many meshes all plans have been made, by one thread at a time.
    std::function<void(std::size_t done, std::size_t all)> progress;
};

/// Plans all meshes of data x pipe x tensor = ranks, tensor a power of two, with every schedule and
/// placement; redraw and recompute only where a rank's memory is too small without.
[[nodiscard]] Ranking rank_meshes(const planner::CostModel& model,
                                  const planner::LayoutOptions& options, ShardSearch shards,
                                  const SearchConduct& conduct = {});

/// Whether plans are too close for their errors: within a few percent.
[[nodiscard]] bool is_tie(const planner::StepPlan& slower, const planner::StepPlan& faster);

/// Gives a tie for the first place to what keeps the bits of one rank: the tensor axis changes
/// sums. `candidates`: ascending by time of a step.
void prefer_same_bits(std::vector<Candidate>& candidates);

/// The options that ask for a layout: ` --mesh data=2,pipe=2,tensor=1 --schedule gan --placement
/// same --shard optimizer --redraw`.
[[nodiscard]] std::string command_options(const planner::LayoutOptions& options, MeshShape mesh);

}  // namespace civitas::strategy
