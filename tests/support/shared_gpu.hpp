#pragma once
#include <c10/core/Device.h>
#include <optional>

namespace civitas::test {

/// The device whose memory memory::gpu_memory() shares in this build: in one with CUDA the first
/// GPU, none where there is none, which is said aloud; in others the CPU, which a pretended CUDA
/// takes for a GPU.
[[nodiscard]] std::optional<c10::Device> shared_gpu();

}  // namespace civitas::test
