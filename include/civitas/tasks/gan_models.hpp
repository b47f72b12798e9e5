#pragma once
/// Both nets of a GAN as one rank holds them.
#include "civitas/comm/mesh.hpp"
#include "civitas/environment/process.hpp"
#include "civitas/optim/model_state.hpp"
#include "civitas/planner/execution_layout.hpp"

namespace civitas::tasks {

/// What models are kept in beside the memory of their rank; null: nothing of them. It must outlive
/// them.
struct ModelMemory {
    memory::OffloadMemory* offload_to = nullptr;  ///< what the layout offloads
    /// Of ranks that update it without waiting for each other.
    optim::SharedModel* generator = nullptr;
    optim::SharedModel* discriminator = nullptr;
};

struct GanModels {
    /// This rank's stages under a layout, with the weights that the seed gives. The mesh must
    /// outlive them. Collective over ranks that share models.
    GanModels(const planner::Configuration& configuration, const planner::ExecutionLayout& layout,
              const environment::Process& process, const comm::Mesh& mesh,
              const ModelMemory& memory = {});

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
