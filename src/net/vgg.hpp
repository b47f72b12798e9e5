#pragma once
/// The nets of Simonyan & Zisserman (arXiv 1409.1556), named as torchvision's.
#include "classifier_sizes.hpp"

#include "civitas/net/description.hpp"

#include <array>

namespace civitas::net {

/// Of 5 parts, each of which ends in a max pool.
inline constexpr std::int64_t least_pixels_of_vgg = 32;

struct VggDepths {
    std::array<int, 5> convolutions;  ///< of each part
};
[[nodiscard]] NetDescription vgg(const VggDepths& depths, const ClassifierSizes& sizes);

}  // namespace civitas::net
