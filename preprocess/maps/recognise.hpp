#pragma once
/// Which layers of the inputs to read, and as what.
#include "plan.hpp"

namespace civitas::maps {

/// By the rules or selectors if given; else Swiss land cover is known by its field `Art`,
/// OpenStreetMap by its driver. Adds to `notes` what was passed over. Throws Error or UsageError
/// when an input holds nothing known or a selector names no layer: both list the layers there are.
[[nodiscard]] std::vector<Task> recognise(const Settings& settings, OpenMaps& maps,
                                          const RuleFile& rules, std::vector<std::string>& notes);

/// The model that the map names, if its numbers are known here, before the map is read in full.
/// Throws UsageError for a canton's.
[[nodiscard]] std::string known_model_of(const Candidate& candidate, const Settings& settings);

[[nodiscard]] bool is_openstreetmap(GDALDataset& dataset);

}  // namespace civitas::maps
