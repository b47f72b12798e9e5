#pragma once
/// Landscape indices of one class, as FRAGSTATS 4 defines them (McGarigal, Cushman and Ene 2012), a
/// patch being a component of pixels that share a side or a corner.
#include "civitas/quality/mask.hpp"

#include <vector>

namespace civitas::quality {

struct LandscapeIndices {
    double cover_percent = 0;    ///< PLAND
    double patches = 0;          ///< NP
    double patch_density = 0;    ///< PD, patches per 100 hectares
    double largest_percent = 0;  ///< LPI, of the tile
    double edge_density = 0;     ///< ED, metres per hectare, without the tile's border
    /// LSI, AI and FRAC_MN: none where the class has no patch, or none that counts.
    std::vector<double> shape = {};        ///< edges, border included, by the fewest possible
    std::vector<double> aggregation = {};  ///< like adjacencies in per cent of the most possible
    std::vector<double> fractal = {};      ///< 2 ln(perimeter / 4) / ln(area), mean of patches
};

/// Patches of less than this have no fractal dimension: near one square metre its formula divides
/// by nothing.
inline constexpr double least_patch_m2 = 10;

[[nodiscard]] LandscapeIndices landscape_indices(const Mask& mask, double pixel_metres);

}  // namespace civitas::quality
