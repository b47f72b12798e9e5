#pragma once
/// The land cover of the Swiss official survey: the field `Art`, in all its published spellings.
#include "civitas/data/tile_store.hpp"

#include <optional>
#include <string_view>

namespace civitas::maps {

/// The class of a named land cover. A name is a path of components (`befestigt.Strasse_Weg.Strasse`
/// in cantonal extensions); the last known one decides, whatever its case, umlauts written either
/// way, extended or not (`stehendes`, `stehendes_Gewaesser`). Nothing when no component is known.
[[nodiscard]] std::optional<LandClass> land_class_of_name(std::string_view art);

/// The class of a number in the federal model DM01AVCH (0 to 25). Nothing for other numbers.
[[nodiscard]] std::optional<LandClass> land_class_of_number(int art);

/// The number, if that is how the land cover is given.
[[nodiscard]] std::optional<int> land_cover_number(std::string_view art);

/// True for the names of the federal model (`DM01AVCH24LV95D`, in French `MD01MOCH24MN95F`, in
/// Italian `MD01MUCH24MN95I`), whose numbers are known here; cantonal models number the same things
/// otherwise.
[[nodiscard]] bool is_federal_model(std::string_view model);

}  // namespace civitas::maps
