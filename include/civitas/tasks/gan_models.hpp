#pragma once
/// Both nets of a GAN as one rank holds them.
#include "civitas/comm/mesh.hpp"
#include "civitas/environment/process.hpp"
#include "civitas/parallel/model_state.hpp"
#include "civitas/planner/execution_layout.hpp"

namespace civitas::tasks {

struct GanModels {
    /// This rank's stages under a layout, with the weights that the seed gives. The mesh must
    /// outlive them.
    GanModels(const planner::Configuration& configuration, const planner::ExecutionLayout& layout,
              const environment::Process& process, const comm::Mesh& mesh);

    [[nodiscard]] parallel::ModelState& operator[](schedule::NetId which);

    parallel::ModelState generator, discriminator;
};

}  // namespace civitas::tasks
