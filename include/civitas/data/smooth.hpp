#pragma once
/// Outlines of soft plans without teeth of a pixel.
#include "civitas/base/coding.hpp"

#include <ATen/core/Tensor.h>
#include <cstdint>

namespace civitas::data {

/// How often smoothed() filters a plan of a tile of so many pixels a side: as often as makes a
/// deviation of a 256th of the side, 0.98 of 250 metres; not at all where pixels are too large.
[[nodiscard]] constexpr std::int64_t smoothing_passes(std::int64_t pixels_of_tile) {
    constexpr std::int64_t whole = 256;
    return 2 * pixels_of_tile * pixels_of_tile / (whole * whole);
}

/// The plan x (C,H,W) after so many passes of the binomial filter (1,2,1)/4 down and across, each
/// with a variance of half a pixel; beyond its sides pixels are as they are there. Outlines between
/// classes that a generator draws pixel by pixel become those of shapes, and specks vanish. A grey
/// plan, in which road lies between the other two, stays as it is. On the CPU, fp32.
[[nodiscard]] at::Tensor smoothed(const at::Tensor& image_CHW, Coding coding,
                                  std::int64_t pixels_of_tile);

}  // namespace civitas::data
