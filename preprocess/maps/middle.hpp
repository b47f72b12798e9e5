#pragma once
/// Where a map lies, before it is read.
#include "crs.hpp"
#include "plan.hpp"

namespace civitas::maps {

/// Somewhere in the middle of what the task will read, in its system. Of what is wider than a zone
/// of UTM it is that of the first 100 000 features, half of which lie on each side: one with stray
/// coordinates does not move it. Nothing where the map does not say where it is.
[[nodiscard]] std::optional<Place> middle_of(const Task& task, OpenMaps& maps);

}  // namespace civitas::maps
