#pragma once
/// Memory of a GPU that several processes address (CUDA IPC), or its absence: builds without CUDA
/// have the same function.
#include "civitas/memory/shared_memory.hpp"

namespace civitas::memory {

/// Arrays that the first rank allocates and the others open. See shared_memory().
[[nodiscard]] std::unique_ptr<SharedMemory> gpu_memory(const comm::Communicator& ranks,
                                                       at::Device gpu);

}  // namespace civitas::memory
