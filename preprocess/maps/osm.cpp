#include "osm.hpp"

#include "civitas/base/error.hpp"
#include "words.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace civitas::maps {
namespace {

struct HighwayClass {
    std::string_view name;
    double metres;
};

constexpr std::array highway_classes{
    HighwayClass{"motorway", 10},      HighwayClass{"trunk", 9},
    HighwayClass{"primary", 8},        HighwayClass{"secondary", 7},
    HighwayClass{"tertiary", 6},       HighwayClass{"residential", 5.5},
    HighwayClass{"unclassified", 5.5}, HighwayClass{"living_street", 5.5},
    HighwayClass{"road", 5.5},         HighwayClass{"busway", 5.5},
    HighwayClass{"service", 4},        HighwayClass{"track", 3},
    HighwayClass{"footway", 2},        HighwayClass{"path", 2},
    HighwayClass{"cycleway", 2},       HighwayClass{"steps", 2},
    HighwayClass{"pedestrian", 4},     HighwayClass{"bridleway", 2},
};

constexpr double narrowest = 0.5, widest = 60;

constexpr std::array not_built{"proposed", "planned", "construction", "platform", "corridor",
                               "elevator", "razed",   "demolished",   "disused",  "abandoned",
                               "no"};
constexpr std::array nothing{"", "no", "n", "false", "f", "0"};

template <class Words>
bool holds(const Words& words, std::string_view word) {
    return std::any_of(words.begin(), words.end(), [&](const char* w) { return w == word; });
}

/// True when all of `-1;-2` are below zero: stairs from -1 to 0 come to the ground.
bool all_below_zero(const std::string& levels) {
    const auto parts = split(levels, ';');
    return std::all_of(parts.begin(), parts.end(),
                       [](const std::string& level) { return std::atof(level.c_str()) < 0; });
}

bool in_tunnel(const Tags& tags) {
    const auto tunnel = tags("tunnel");
    return tunnel && !holds(nothing, lower(*tunnel));
}

/// The number before `m` or nothing, with a point or a comma.
std::optional<double> metres_in(std::string width) {
    std::replace(width.begin(), width.end(), ',', '.');
    char* end = nullptr;
    const double metres = std::strtod(width.c_str(), &end);
    const std::string_view unit(end);
    const bool understood = end != width.c_str() && (unit.empty() || unit == " m" || unit == "m");
    const bool plausible = metres >= narrowest && metres <= widest;  // false for not a number
    if (!understood || !plausible) return std::nullopt;
    return metres;
}

}  // namespace

std::optional<std::string> other_tag(std::string_view other_tags, std::string_view key) {
    const std::string start = text('"', key, "\"=>\"");
    auto at = other_tags.find(start);
    // The same characters inside a value are not a key: a key opens the text or follows a comma.
    while (at != std::string_view::npos && at > 0 && other_tags[at - 1] != ',')
        at = other_tags.find(start, at + 1);
    if (at == std::string_view::npos) return std::nullopt;
    std::string value;
    for (at += start.size(); at < other_tags.size() && other_tags[at] != '"'; ++at) {
        if (other_tags[at] == '\\' && at + 1 < other_tags.size()) ++at;
        value += other_tags[at];
    }
    return value;
}

std::optional<double> highway_width(std::string_view highway) {
    constexpr std::string_view link = "_link";
    if (highway.ends_with(link)) highway.remove_suffix(link.size());
    if (highway.starts_with("track_grade")) highway = "track";
    const auto known = std::find_if(highway_classes.begin(), highway_classes.end(),
                                    [&](const HighwayClass& c) { return c.name == highway; });
    return known == highway_classes.end() ? std::nullopt : std::optional(known->metres);
}

bool is_below_ground(const Tags& tags) {
    // The last is what the Dutch BGT calls a layer.
    for (const auto* field : {"layer", "level", "relatieveHoogteligging"}) {
        const auto level = tags(field);
        if (level && all_below_zero(*level)) return true;
    }
    return in_tunnel(tags) || tags("location") == "underground";
}

Road road_of(const Tags& tags, const RoadRule& rule) {
    if (is_below_ground(tags)) return {RoadKind::below_ground};
    const auto name = rule.class_field.empty() ? std::nullopt : tags(rule.class_field);
    const auto of_class = name ? highway_width(*name) : std::nullopt;
    const auto otherwise = of_class ? of_class : rule.otherwise;
    if (!otherwise || (name && holds(not_built, *name))) return {RoadKind::not_built};
    const auto stated = tags(rule.width_field);
    const auto own = stated ? metres_in(*stated) : std::nullopt;
    return {RoadKind::road, own.value_or(*otherwise),
            !rule.class_field.empty() && !of_class && !own, stated && !stated->empty() && !own};
}

std::optional<double> road_width(const Tags& tags) {
    const auto road = road_of(tags);
    return road.kind == RoadKind::road ? std::optional(road.metres) : std::nullopt;
}

bool is_road_area(const Tags& tags, const RoadRule& rule) {
    return tags("area") == "yes" && road_of(tags, rule).kind == RoadKind::road;
}

bool is_building(const Tags& tags) {
    const auto building = tags("building");
    return building && *building != "no" && !is_below_ground(tags);
}

}  // namespace civitas::maps
