#pragma once
/// What the ground of a plan is.
#include <cstdint>

namespace civitas {

/// The class of a pixel, as tile stores number them, and the order of channels in `/cover`.
enum class LandClass : std::uint8_t { other = 0, road = 1, building = 2 };

}  // namespace civitas
