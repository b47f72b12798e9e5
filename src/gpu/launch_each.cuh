#pragma once
/// Kernels that compute many independent things, each in a thread. For what nvcc compiles.
#include "civitas/base/error.hpp"

#include <cuda_runtime.h>
#include <algorithm>
#include <cstdint>
#include <string>

namespace civitas::gpu {

/// Throws Error where a launch was refused.
inline void require_launched() {
    if (const cudaError_t code = cudaGetLastError(); code != cudaSuccess)
        throw Error(std::string("a kernel was not launched: ") + cudaGetErrorString(code));
}

template <class Work>
__global__ void for_each(std::int64_t count, Work work) {
    const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
    for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
         i += threads)
        work(i);
}

/// Calls work(0) to work(count - 1), each in a thread.
template <class Work>
void launch_each(std::int64_t count, const Work& work, cudaStream_t stream) {
    constexpr std::int64_t threads = 256, most_blocks = std::int64_t{1} << 16;
    if (count == 0) return;
    const std::int64_t blocks = std::min((count + threads - 1) / threads, most_blocks);
    for_each<<<static_cast<unsigned>(blocks), static_cast<unsigned>(threads), 0, stream>>>(count,
                                                                                           work);
    require_launched();
}

}  // namespace civitas::gpu
