#include "civitas/parallel/replica_weights.hpp"

#include "civitas/base/error.hpp"

namespace civitas::parallel {
namespace {

const optim::StageLayers& only_stage_of(const optim::ModelState& net) {
    ensure(net.local_stages().size() == 1, "replicas hold whole nets");
    return net.local_stages().front();
}

std::optional<optim::Arena> compute_copy(const optim::ModelState& net, at::Device device,
                                         net::Precision precision) {
    if (precision != net::Precision::bf16) return std::nullopt;
    return optim::Arena(net.layout(), at::kBFloat16, device);
}

}  // namespace

ReplicaWeights::ReplicaWeights(optim::ModelState& net, int replica, at::Device device,
                               net::Precision precision)
    : net_(net),
      replica_(replica),
      weights_(net.layout(), net.weights().flat().scalar_type(), device),
      compute_(compute_copy(net, device, precision)),
      buffers_(only_stage_of(net).description, nn::master_type(precision), device),
      layers_(optim::make_layers(only_stage_of(net).description,
                                 {optim::views_of(only_stage_of(net).description, weights_,
                                                  compute_ ? &*compute_ : nullptr),
                                  buffers_},
                                 {})) {}

void ReplicaWeights::follow() {
    weights_.flat().copy_(net_.weights().flat(), /*non_blocking=*/true);
    if (compute_) compute_->flat().copy_(weights_.flat());
}

optim::NetParts ReplicaWeights::parts() const {
    return {.stages = {{only_stage_of(net_).stage, &layers_, 0}},
            .leaves = &net_.updater().leaves_of(replica_),
            .device = weights_.flat().device()};
}

}  // namespace civitas::parallel
