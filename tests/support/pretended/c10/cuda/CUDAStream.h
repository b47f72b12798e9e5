#pragma once
/// A stream of a machine without GPUs: what it is given is done when the call returns.
#include <cuda_runtime.h>

namespace c10::cuda {

class CUDAStream {
public:
    [[nodiscard]] cudaStream_t stream() const { return nullptr; }
    [[nodiscard]] bool query() const { return true; }
};
inline CUDAStream getStreamFromPool(bool /*high_priority*/, int /*device*/) { return {}; }
inline CUDAStream getCurrentCUDAStream(int /*device*/) { return {}; }

}  // namespace c10::cuda
