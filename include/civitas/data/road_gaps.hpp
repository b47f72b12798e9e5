#pragma once
/// Roads of soft plans with gaps that the generator is in doubt of, or that are short.
#include "civitas/base/coding.hpp"

#include <ATen/core/Tensor.h>
#include <cstdint>

namespace civitas::data {

/// A generator is in doubt of a pixel where road still has so large a share of it.
inline constexpr float least_road_share = 0.25F;

/// Pixels that it is sure of and that a gap may have all the same: a thirty-second of the side of a
/// tile of so many pixels, 8 of 250 metres.
[[nodiscard]] constexpr int longest_gap(std::int64_t pixels) {
    return static_cast<int>(pixels / 32);
}

/// The plan x (C,H,W) with its roads joined: of roads (pixels that are road by their strongest
/// class and share sides) each is joined to another over open ground, as long as that joins what
/// did not hang together: a minimum spanning forest, whose ways cost the number of pixels in which
/// road has less than least_road_share, longest_gap(pixels_of_tile) at most, then the sum of
/// 1 - share. Along a way all is road (1, and other -1). Roads end where they ended, and no ring is
/// closed. A grey plan, in which road lies between the other two, stays as it is. On the CPU, fp32.
[[nodiscard]] at::Tensor with_closed_gaps(const at::Tensor& image_CHW, Coding coding,
                                          std::int64_t pixels_of_tile);

}  // namespace civitas::data
