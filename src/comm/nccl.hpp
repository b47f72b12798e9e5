#pragma once
/// NCCL, or its absence: builds without CUDA have the same functions, and gpu_id().
#include "civitas/comm/backend.hpp"

#include <chrono>
#include <string>

namespace civitas::comm {

[[nodiscard]] std::string cuda_version();
[[nodiscard]] std::string nccl_version();

/// Messages and exchanges straight between GPUs: one stream carries all axes of a rank, so they
/// happen in the order in which the rank asks for them. Collective: throws AgreedError where NCCL
/// does not start on some rank within `patience`: a network that lets nothing through never
/// answers.
[[nodiscard]] std::unique_ptr<Backend> nccl_links(
    const Communicator& world, at::Device device,
    std::chrono::duration<double> patience = std::chrono::minutes(1));

}  // namespace civitas::comm
