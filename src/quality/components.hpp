#pragma once
/// Connected components.
#include "civitas/quality/mask.hpp"

#include <cstdint>
#include <vector>

namespace civitas::quality {

/// Which pixels are connected: those that share a side, or those that share a corner, too.
enum class Neighbours { four, eight };

/// The pixels of each component, components in the order of their first pixels row by row.
using Components = std::vector<std::vector<Pixel>>;
[[nodiscard]] Components components_of(const Mask& mask, Neighbours neighbours);

/// The pixels of the largest component; 0 where there is none.
[[nodiscard]] std::size_t largest_of(const Components& components);
/// The share of all pixels that the largest component has; 0 where there is none.
[[nodiscard]] double largest_share(const Components& components);

}  // namespace civitas::quality
