#pragma once
/// Both nets of a GAN as one rank holds them.
#include "civitas/comm/mesh.hpp"
#include "civitas/environment/process.hpp"
#include "civitas/optim/model_state.hpp"
#include "civitas/planner/execution_layout.hpp"

namespace civitas::tasks {

struct GanModels {
    /// This rank's stages under a layout, with the weights that the seed gives. The mesh must
    /// outlive them, and so must `offload_to`, where what the layout offloads goes.
    GanModels(const planner::Configuration& configuration, const planner::ExecutionLayout& layout,
              const environment::Process& process, const comm::Mesh& mesh,
              memory::OffloadMemory* offload_to = nullptr);

    [[nodiscard]] optim::ModelState& operator[](schedule::NetId which);
    /// Bytes that are kept from step to step in memory, and offloaded.
    [[nodiscard]] std::int64_t bytes() const { return generator.bytes() + discriminator.bytes(); }
    [[nodiscard]] std::int64_t offloaded_bytes() const {
        return generator.offloaded_bytes() + discriminator.offloaded_bytes();
    }

    /// Where ranks of a node gather weights that they keep in parts; null where they do not.
    std::unique_ptr<optim::GatherRoom> room;
    optim::ModelState generator, discriminator;
};

}  // namespace civitas::tasks
