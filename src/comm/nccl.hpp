#pragma once
/// NCCL, or its absence: builds without CUDA have the same two functions.
#include "civitas/comm/backend.hpp"

#include <chrono>

namespace civitas::comm {

/// Names a GPU among those of all hosts: `NCCL_HOSTID or host/PCI bus number`.
[[nodiscard]] std::string gpu_id(at::Device device);

/// Messages and exchanges straight between GPUs: one stream carries all axes of a rank, so they
/// happen in the order in which the rank asks for them. Collective: throws AgreedError where NCCL
/// does not start on some rank within `patience`: a network that lets nothing through never
/// answers.
[[nodiscard]] std::unique_ptr<Backend> nccl_links(
    const Communicator& world, at::Device device,
    std::chrono::duration<double> patience = std::chrono::minutes(1));

}  // namespace civitas::comm
