#include "preprocess/maps/osm.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace civitas::maps {
namespace {

struct HighwayClass {
    std::string_view name;
    double metres;
};

constexpr std::array classes{
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

bool below_ground(const Tags& tags) {
    const auto layer = tags("layer");
    return layer && std::atof(layer->c_str()) < 0;
}

bool in_tunnel(const Tags& tags) {
    const auto tunnel = tags("tunnel");
    return tunnel && *tunnel != "no";
}

std::optional<double> stated_width(const Tags& tags) {
    const auto width = tags("width");
    if (!width) return std::nullopt;
    char* end = nullptr;
    const double metres = std::strtod(width->c_str(), &end);
    const std::string_view unit(end);
    const bool understood = end != width->c_str() && (unit.empty() || unit == " m" || unit == "m");
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
    const auto known = std::find_if(classes.begin(), classes.end(),
                                    [&](const HighwayClass& c) { return c.name == highway; });
    return known == classes.end() ? std::nullopt : std::optional(known->metres);
}

std::optional<double> road_width(const Tags& tags) {
    const auto highway = tags("highway");
    if (!highway || in_tunnel(tags) || below_ground(tags)) return std::nullopt;
    const auto of_class = highway_width(*highway);
    if (!of_class) return std::nullopt;
    return stated_width(tags).value_or(*of_class);
}

bool is_road_area(const Tags& tags) {
    return tags("area") == "yes" && road_width(tags).has_value();
}

bool is_building(const Tags& tags) {
    const auto building = tags("building");
    return building && *building != "no" && !below_ground(tags) &&
           tags("location") != "underground";
}

}  // namespace civitas::maps
