#pragma once
/// What OpenStreetMap's tags mean here, and the same words in the fields of other maps.
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

/// Which fields say what a road is. The rule of OpenStreetMap unless told otherwise.
struct RoadRule {
    std::string class_field = "highway";  ///< empty: the map has none
    std::string width_field = "width";
    /// Metres of roads whose class says none; nothing: such are no roads.
    std::optional<double> otherwise;
};

enum class RoadKind { road, below_ground, not_built };

/// What a feature is as a road.
struct Road {
    RoadKind kind = RoadKind::not_built;
    double metres = 0;           ///< its own width if it says a plausible one, else of its class
    bool class_unknown = false;  ///< it has the default width for want of a known class
    bool width_unread = false;   ///< it says a width that is none in metres
};
[[nodiscard]] Road road_of(const Tags& tags, const RoadRule& rule = {});

/// The width in metres of what is a road by OpenStreetMap's own tags.
[[nodiscard]] std::optional<double> road_width(const Tags& tags);

/// True in tunnels, on levels and layers below zero, and underground.
[[nodiscard]] bool is_below_ground(const Tags& tags);

/// True for squares and the like: the line is the outline of paved ground.
[[nodiscard]] bool is_road_area(const Tags& tags, const RoadRule& rule = {});

/// True for buildings that stand on the ground.
[[nodiscard]] bool is_building(const Tags& tags);

}  // namespace civitas::maps
