#pragma once
/// How far objects lie apart.
#include "components.hpp"

#include <vector>

namespace civitas::quality {

/// The distance of each component to the nearest other one, in pixels, between the squares that
/// pixels are: 0 where they touch by a corner. Empty where there are not two.
[[nodiscard]] std::vector<double> spacing_of(const Components& components, std::int64_t pixels);

}  // namespace civitas::quality
