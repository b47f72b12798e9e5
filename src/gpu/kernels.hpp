#pragma once
/// What nvcc compiles, launched on a stream: see civitas/gpu/augment.hpp, batch_norm.hpp,
/// adam.hpp and finite.hpp. Throws Error where CUDA refuses.
#include "adam_steps.hpp"
#include "batch_norm_steps.hpp"
#include "finite_step.hpp"
#include "images.hpp"

#include <c10/util/BFloat16.h>

struct CUstream_st;

namespace civitas::gpu {

/// A cudaStream_t.
using Stream = CUstream_st*;

void launch_augment(const Images& x, const Images& y, const Drawn& drawn, double noise,
                    Stream stream);
void launch_augment_backward(const Images& g, const Images& gx, const Drawn& drawn, Stream stream);

void launch(const NormForward<float>& norm, Stream stream);
void launch(const NormForward<c10::BFloat16>& norm, Stream stream);
void launch(const NormBackward<float>& norm, Stream stream);
void launch(const NormBackward<c10::BFloat16>& norm, Stream stream);
void launch(const AdamUpdate& update, Stream stream);
void launch(const FiniteStep<float>& step, Stream stream);
void launch(const FiniteStep<double>& step, Stream stream);

}  // namespace civitas::gpu
