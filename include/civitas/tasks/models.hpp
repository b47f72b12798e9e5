#pragma once
/// The nets of a step as one rank holds them.
#include "civitas/comm/mesh.hpp"
#include "civitas/environment/process.hpp"
#include "civitas/optim/model_state.hpp"
#include "civitas/parallel/replica_weights.hpp"
#include "civitas/parallel/replicas.hpp"
#include "civitas/planner/execution_layout.hpp"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace civitas::tasks {

/// What models are kept in beside the memory of their rank. It must outlive them.
struct ModelMemory {
    memory::OffloadMemory* offload_to = nullptr;  ///< what the layout offloads; null: none
    /// By NetId: of ranks that update it without waiting for each other; none: nobody does.
    std::vector<optim::SharedModel*> shared = {};
};

/// All nets of a step, by NetId.
class Models {
public:
    /// This rank's stages under a layout, with the weights that the seed gives. The mesh must
    /// outlive them. Collective over ranks that share models.
    Models(const planner::Configuration& configuration, const planner::ExecutionLayout& layout,
           const environment::Process& process, const comm::Mesh& mesh,
           const ModelMemory& memory = {});

    [[nodiscard]] optim::ModelState& operator[](schedule::NetId which) {
        return *nets_.at(static_cast<std::size_t>(which));
    }
    [[nodiscard]] const optim::ModelState& operator[](schedule::NetId which) const {
        return *nets_.at(static_cast<std::size_t>(which));
    }
    [[nodiscard]] std::span<const std::unique_ptr<optim::ModelState>> all() const noexcept {
        return nets_;
    }
    /// What the executor of one of this rank's replicas needs of all nets; valid as long as this.
    [[nodiscard]] parallel::ReplicaNets parts(int replica);
    /// Lets replicas on other devices than the first one's have a net's weights as they are now:
    /// these copies follow no update by themselves.
    void follow(schedule::NetId which);
    /// Where ranks of a node gather weights that they keep in parts; null where they do not.
    [[nodiscard]] const optim::GatherRoom* room() const noexcept { return room_.get(); }
    /// Whether an update has begun to change weights of some net, and has not ended.
    [[nodiscard]] bool any_is_updating() const;
    /// Bytes that are kept from step to step in memory, and offloaded.
    [[nodiscard]] std::int64_t bytes() const;
    [[nodiscard]] std::int64_t offloaded_bytes() const;
    /// `a lower --generator-lr or --discriminator-lr`.
    [[nodiscard]] std::string lower_rates() const;

private:
    std::unique_ptr<optim::GatherRoom> room_;
    std::vector<std::unique_ptr<optim::ModelState>> nets_;
    /// By replica, then by NetId, of those that compute on other devices than the first.
    std::map<int, std::vector<std::unique_ptr<parallel::ReplicaWeights>>> elsewhere_;
};

}  // namespace civitas::tasks
