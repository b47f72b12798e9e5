#pragma once
/// The options of `civitas plan`.
#include "civitas/base/mesh_shape.hpp"
#include "civitas/cli/options.hpp"
#include "civitas/strategy/asynchrony.hpp"
#include "civitas/strategy/candidates.hpp"

#include <string>

namespace civitas::app {

struct PlanOptions {
    planner::Configuration configuration;
    std::string machine;  ///< file that describes it
    std::string profile;  ///< file of a run, with times of layers
    std::string draw;     ///< file for a picture
    std::string print;    ///< file for the table, or `-`
    int ranks = 0;        ///< 0: as many as the mesh has
    strategy::ShardSearch shards = strategy::ShardSearch::all;  ///< of a comparison of meshes
    bool measure = false;
    bool brief = false;
    bool tell_kernels = false;  ///< what computes which layer
    bool overwrite = false;
    std::string config;  ///< file of options
    /// Of ranks that do not wait for each other: then these are planned, and no mesh.
    std::optional<strategy::RankTimes> rank_times = {};

    /// Whether meshes are compared, and not one is planned.
    [[nodiscard]] bool all_meshes() const {
        return ranks > 0 && configuration.layout_options.mesh.empty();
    }
    /// Whether layers are timed on the machine that is planned for.
    [[nodiscard]] bool here() const { return measure && machine.empty(); }
    [[nodiscard]] MeshShape mesh() const;
    [[nodiscard]] int planned_ranks() const { return all_meshes() ? ranks : mesh().size(); }
};

/// Throws UsageError or cli::HelpRequested.
[[nodiscard]] PlanOptions parse_plan(int argc, const char* const* argv, const cli::ReadFile& read);

}  // namespace civitas::app
