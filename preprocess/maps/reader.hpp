#pragma once
/// Reads layers into shapes.
#include "preprocess/maps/geometry.hpp"
#include "preprocess/maps/plan.hpp"

#include <functional>

namespace civitas::maps {

struct MapContent {
    Shapes shapes;
    Tally left_out;
    std::vector<std::string> warnings;  ///< what GDAL had to say
};

/// Told now and then what share of the work is done.
using Report = std::function<void(double share)>;

/// Read the given tasks of a plan. Throws UsageError for a condition that the layer does not
/// understand and for numbered land cover of an unknown model, Error for maps that end before
/// their end.
[[nodiscard]] MapContent read_tasks(const Plan& plan, const std::vector<std::size_t>& tasks,
                                    const Settings& settings, OpenMaps& maps, const Report& report);

}  // namespace civitas::maps
