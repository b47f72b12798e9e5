#pragma once
/// The nets of He et al. (arXiv 1512.03385), named as torchvision's.
#include "classifier_sizes.hpp"

#include "civitas/net/description.hpp"

#include <array>

namespace civitas::net {

/// Halved three times at least.
inline constexpr std::int64_t least_pixels_of_resnet = 8;

/// Two convolutions of 3 x 3; or 1 x 1, 3 x 3, and 1 x 1 to four times the channels.
enum class ResidualBlock { basic, bottleneck };

struct ResnetDepths {
    ResidualBlock block = ResidualBlock::basic;
    std::array<int, 4> blocks{};  ///< of each part
};
[[nodiscard]] NetDescription resnet(const ResnetDepths& depths, const ClassifierSizes& sizes);

}  // namespace civitas::net
