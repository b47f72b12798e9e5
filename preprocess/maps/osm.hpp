#pragma once
/// What OpenStreetMap's tags mean here.
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace civitas::maps {

/// The value of a tag of a feature; nothing when it has none.
using Tags = std::function<std::optional<std::string>(std::string_view key)>;

/// A tag in GDAL's text of the less frequent ones: `"width"=>"3.5","surface"=>"asphalt"`.
[[nodiscard]] std::optional<std::string> other_tag(std::string_view other_tags,
                                                   std::string_view key);

/// Metres between the edges of the carriageway by class of highway; links as their road. Nothing
/// for classes that are no road on the ground (proposed, construction, platform, corridor, ...).
[[nodiscard]] std::optional<double> highway_width(std::string_view highway);

/// The width of a road in metres: its own `width` if it says a plausible one, else that of its
/// class. Nothing for what is no road, or lies in a tunnel or below the ground.
[[nodiscard]] std::optional<double> road_width(const Tags& tags);

/// True for squares and the like: the line is the outline of paved ground.
[[nodiscard]] bool is_road_area(const Tags& tags);

/// True for buildings that stand on the ground.
[[nodiscard]] bool is_building(const Tags& tags);

}  // namespace civitas::maps
