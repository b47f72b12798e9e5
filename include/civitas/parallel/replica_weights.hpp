#pragma once
/// A copy of a net's weights on another device, over which one of a rank's replicas trains there.
#include "civitas/optim/model_state.hpp"

#include <optional>

namespace civitas::parallel {

class ReplicaWeights {
public:
    /// Of a replica, by its number, of `net`, which must outlive this and be whole: it has one
    /// stage, and its weights are on every rank. The copy is not made before follow().
    ReplicaWeights(optim::ModelState& net, int replica, at::Device device,
                   net::Precision precision);

    /// Takes the weights as they are now. The devices' current streams do it; nobody waits.
    void follow();
    /// What the replica's executor needs; valid as long as this.
    [[nodiscard]] optim::NetParts parts() const;

private:
    optim::ModelState& net_;
    int replica_;
    optim::Arena weights_;
    std::optional<optim::Arena> compute_;  ///< bf16, for the convolutions
    optim::Buffers buffers_;               ///< which training does not read
    nn::Stage layers_;
};

}  // namespace civitas::parallel
