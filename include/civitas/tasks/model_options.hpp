#pragma once
/// How the nets of a run are made on one rank.
#include "civitas/comm/mesh.hpp"
#include "civitas/environment/process.hpp"
#include "civitas/parallel/model_state.hpp"
#include "civitas/planner/execution_layout.hpp"

namespace civitas::tasks {

/// What the options refer to of the mesh must outlive the net.
[[nodiscard]] parallel::ModelOptions generator_options(const planner::Configuration& c,
                                                       const environment::Process& process,
                                                       const comm::Mesh& mesh);
[[nodiscard]] parallel::ModelOptions discriminator_options(const planner::Configuration& c,
                                                           const environment::Process& process,
                                                           const comm::Mesh& mesh);

}  // namespace civitas::tasks
