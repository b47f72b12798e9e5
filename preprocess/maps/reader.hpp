#pragma once
/// Reads layers into shapes.
#include "features.hpp"

#include <functional>

namespace civitas::maps {

/// Told now and then what share of the work is done.
using Report = std::function<void(double share)>;

/// Read the given tasks of a plan, map by map. Throws UsageError for a condition that the layer
/// does not understand and for numbered land cover of an unknown model, Error for features that
/// cannot be read and maps that break off, unless the settings say to skip what is damaged.
[[nodiscard]] MapContent read_tasks(const Plan& plan, std::vector<std::size_t> tasks,
                                    const Settings& settings, OpenMaps& maps, const Report& report);

}  // namespace civitas::maps
