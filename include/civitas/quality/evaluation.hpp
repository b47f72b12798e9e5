#pragma once
/// Figures that tell how alike two sets of images are, without any trained network.
#include "civitas/base/land_class.hpp"
#include "civitas/base/numbers.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace civitas::quality {

/// n images of `channels` x pixels x pixels, values in [-1, 1], planar, one after the other.
struct ImageSet {
    std::int64_t count = 0;
    int channels = 3;
    std::int64_t pixels = 0;
    std::vector<float> values_BCHW;
};

/// Sliced Wasserstein distance x 1000 on Laplacian pyramids (Karras et al., arXiv 1710.10196,
/// section 5): 128 patches of 7x7 per image and level, centred and scaled per channel, 4 x 128
/// directions, mean over the levels from full size down to 16. Equal counts needed.
[[nodiscard]] double sliced_wasserstein(const ImageSet& a, const ImageSet& b, Seed seed);

/// Of one level of the pyramid.
struct LevelDistance {
    std::int64_t pixels = 0;  ///< of a side
    double distance = 0;      ///< x 1000
};
/// The same distance by level, from full size down.
[[nodiscard]] std::vector<LevelDistance> sliced_wasserstein_by_level(const ImageSet& a,
                                                                     const ImageSet& b, Seed seed);
/// Precondition: there is a level.
[[nodiscard]] double mean_distance(std::span<const LevelDistance> levels);

/// Mean absolute difference per value between two images of the set, over all pairs (values
/// rescaled to [0, 1]).
[[nodiscard]] double mean_pairwise_difference(const ImageSet& set);
/// Mean share of a class over plans, as data::cover_of() has it: of three channels (building, road,
/// other) -1..1 counts as 0..1; a grey value v is |v| of building (v > 0) or other, the rest road.
[[nodiscard]] double mean_cover(const ImageSet& set, LandClass of);

}  // namespace civitas::quality
