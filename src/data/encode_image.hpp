#pragma once
/// From the bytes of an image to what a net sees.
#include "civitas/data/coding.hpp"

namespace civitas::data {

constexpr std::size_t image_channels = 3;

/// Codes one image, whose pixels are red, green, blue one after the other, into three planes of
/// net_pixels^2 floats.
void encode_image(std::span<const std::uint8_t> rgb, Scaling scaling, Symmetry symmetry,
                  float* image_CHW);

}  // namespace civitas::data
