#pragma once
/// Which layers of the inputs to read, and as what.
#include "plan.hpp"

namespace civitas::maps {

/// By the selectors if given; else Swiss land cover is known by its field `Art`, OpenStreetMap by
/// its driver. Adds to `notes` what was passed over. Throws Error or UsageError when an input holds
/// nothing known or a selector names no layer: both list the layers there are.
[[nodiscard]] std::vector<Task> recognise(const Settings& settings, OpenMaps& maps,
                                          std::vector<std::string>& notes);

}  // namespace civitas::maps
