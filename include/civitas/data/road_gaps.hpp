#pragma once
/// Roads of soft plans whose gaps the generator itself is in doubt of.
#include "civitas/base/coding.hpp"

#include <ATen/core/Tensor.h>

namespace civitas::data {

/// A gap is closed where road still has so large a share of each of its pixels.
inline constexpr float least_road_share = 0.25F;

/// The plan x (C,H,W) with its roads joined: of roads (pixels that are road by their strongest
/// class and share sides) each is joined to another along the likeliest way, over open ground where
/// road has least_road_share or more, as long as that joins what did not hang together: a minimum
/// spanning forest, whose ways cost the sum of 1 - share. Along a way all is road (1, and other
/// -1). Roads end where they ended, and no ring is closed. A grey plan, in which road lies between
/// the other two, stays as it is. On the CPU, fp32.
[[nodiscard]] at::Tensor with_closed_gaps(const at::Tensor& image_CHW, Coding coding);

}  // namespace civitas::data
