#pragma once
/// From the bytes of tiles to what a net sees, and back.
#include "civitas/base/coding.hpp"
#include "civitas/base/symmetry.hpp"

#include <ATen/core/Tensor.h>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace civitas::data {

/// Sides of a square image before and after averaging: a net smaller than the store's tiles sees
/// averages of their pixels.
struct Scaling {
    std::int64_t store_pixels = 0;
    std::int64_t net_pixels = 0;
    /// Pixels averaged along a side: 1, 2, 4 or 8; throws UsageError for anything else.
    [[nodiscard]] std::int64_t factor() const;
};

/// Mean and deviation of red, green and blue over the images of ImageNet, as shares of 255: what
/// the models of torchvision were trained with
/// (https://docs.pytorch.org/vision/stable/models.html).
inline constexpr std::array<float, 3> image_mean{0.485F, 0.456F, 0.406F};
inline constexpr std::array<float, 3> image_deviation{0.229F, 0.224F, 0.225F};

/// Code one tile into `image_CHW` (channels x net_pixels^2 floats, planar). `bytes`: classes, or of
/// the coding rgb an image v, whose channels become (v / 255 - mean) / deviation.
void encode(std::span<const std::uint8_t> bytes, Scaling scaling, Coding coding, Symmetry symmetry,
            std::span<float> image_CHW);

/// A generated plan as LandClass values, pixels^2: soft channels enlarged bilinearly to `pixels` a
/// side, then the strongest class per pixel, of equal ones the least built (grey: thresholds at
/// -0.5 and 0.5). Precondition: the coding is one of classes.
[[nodiscard]] std::vector<std::uint8_t> classes_of(const at::Tensor& image_CHW, Coding coding,
                                                   std::int64_t pixels);
/// A plan, and what it was before its classes were told apart.
struct Decoded {
    std::vector<std::uint8_t> classes;  ///< classes_of() the image
    std::array<float, 3> cover{};       ///< cover_of() the image
};
[[nodiscard]] Decoded decode(const at::Tensor& image_CHW, Coding coding, std::int64_t pixels);
/// Per LandClass the mean of a generated plan's channels, before arg-max: a channel's -1..1 counts
/// as 0..1; a grey value v counts as |v| of building (v > 0) or other (v < 0) and 1 - |v| of road.
[[nodiscard]] std::array<float, 3> cover_of(const at::Tensor& image_CHW, Coding coding);
/// decode() of a square of a larger plan: `image_CHW` has one more pixel on each side, which only
/// tells how it goes on there, so that squares side by side are enlarged as the whole would be.
/// Precondition: `pixels` is a multiple of the square's side.
[[nodiscard]] Decoded decode_part(const at::Tensor& image_CHW, Coding coding, std::int64_t pixels);

/// Variance of a tile with these numbers of pixels per LandClass, coded other 0, road 0.5,
/// building 1.
[[nodiscard]] float variance_of(const std::array<std::int64_t, 3>& counts);

}  // namespace civitas::data
