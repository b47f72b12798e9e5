#pragma once
#include <c10/cuda/CUDAStream.h>

namespace c10::cuda::CUDACachingAllocator {

template <class Pointer>
void recordStream(const Pointer& /*memory*/, CUDAStream /*stream*/) {}

}  // namespace c10::cuda::CUDACachingAllocator
