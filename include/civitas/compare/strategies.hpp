#pragma once
/// The ways in which the ranks of a job can train one model, each as what it changes of a
/// configuration. Pure.
#include "civitas/planner/options.hpp"
#include "civitas/planner/workload.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace civitas::compare {

/// What a strategy divides among ranks, or does without waiting for them.
enum class Family {
    process,     ///< one process, which has all cores
    replicas,    ///< of the nets, by threads of one process
    data,        ///< micro-batches
    naive,       ///< layers, of which one rank's are at work at a time
    pipeline,    ///< layers, at work on several micro-batches at a time
    tensor,      ///< channels of every layer
    mesh,        ///< micro-batches, and the layers of each copy
    shard,       ///< micro-batches, and what is held of the nets
    offload,     ///< micro-batches; what only the optimizer needs lies elsewhere
    async,       ///< steps: each rank updates the weights by its own
    server,      ///< parts of a step, whose gradients servers take
    population,  ///< models
};

/// Blocks of layers of each stage of the first net; none: as the planner balances them.
using Placement = std::vector<std::int64_t>;

struct Strategy {
    std::string name;  ///< as --strategies has it: `naive:3-2`
    Family family = Family::process;
    std::string words = {};  ///< what it does, a clause: `each rank has both nets and ...`
    int ranks = 1;           ///< of the job, the first ones, that take part
    MeshShape mesh = {};     ///< of the ranks that train one model together
    planner::ScheduleName schedule = {};
    Placement stages = {};
    ShardLevel shard = ShardLevel::none;
    Offload offload = Offload::none;
    int replicas = 1;  ///< in a rank
    UpdateKind update = UpdateKind::sync;
    int models = 1;  ///< that are trained side by side

    /// Whether each rank makes steps, or parts of them, by itself.
    [[nodiscard]] bool is_by_itself() const { return update != UpdateKind::sync || models > 1; }
};

/// A strategy, and what speaks against it on so many ranks; nothing where it may be tried.
struct Considered {
    Strategy strategy;
    std::string why_not = {};
};

/// All strategies for a job, the simplest first. Those for which it has too few ranks are among
/// them, with the reason. `placements`: of naive model parallelism, each by as many ranks as it has
/// stages; ranks > 0.
[[nodiscard]] std::vector<Considered> consider(int ranks, const std::vector<Placement>& placements);

/// The placements that are compared where nobody names any: balanced, and with as many blocks as
/// can be in the first stage, and in the last.
[[nodiscard]] std::vector<Placement> usual_placements(const planner::Workload& workload,
                                                      int stages);

/// Reads `3,10,3/5,8,3`: a placement for each part. Throws UsageError for what is no list of
/// numbers over 0.
[[nodiscard]] std::vector<Placement> parse_placements(const std::string& words);

/// Those that a list names, in the order of `all`; an empty list names all. `naive` stands for all
/// of its kind, `naive:3-2` for one. Throws UsageError for a name that none has, with the nearest.
[[nodiscard]] std::vector<Considered> named(const std::vector<Considered>& all,
                                            const std::string& list);

/// The configuration that trains as a strategy does. What describes problem and learning stays, and
/// of the run its tiles and steps; it has no folder yet, and keeps no files on its way.
[[nodiscard]] planner::Configuration applied(const Strategy& strategy,
                                             planner::Configuration configuration);

/// The options of `civitas train` that ask for a strategy: ` --mesh data=2 --shard optimizer`.
/// Beside a configuration file defaults are spelt out, too, since the file may ask for another
/// strategy.
[[nodiscard]] std::string options_of(const Strategy& strategy, bool beside_file = false);

}  // namespace civitas::compare
