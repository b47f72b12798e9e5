#pragma once
/// The steps of winograd_steps.hpp, launched on a stream. Throws Error where CUDA refuses.
#include "kernels.hpp"
#include "winograd_steps.hpp"

namespace civitas::gpu::winograd {

/// Calls step(0) to step(count - 1), for the steps of patches of 2x2 and 4x4 results.
template <class Step>
void launch(std::int64_t count, const Step& step, Stream stream);

}  // namespace civitas::gpu::winograd
