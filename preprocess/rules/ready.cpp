#include "rules.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>
#include <array>

namespace civitas::rules {
namespace {

struct Ready {
    std::string_view name;
    std::string_view text;
};

constexpr std::string_view osm = R"(# OpenStreetMap: extracts, and what others make of them
[buildings]
layer = *
field = building
values = !no
class = building

[buildings of Geofabrik's Shapefiles]
layer = gis_osm_buildings*
class = building

[roads]
layer = *
field = highway
widths = motorway 10, motorway_link 10, trunk 9, trunk_link 9, primary 8, primary_link 8
widths = secondary 7, secondary_link 7, tertiary 6, tertiary_link 6, residential 5.5
widths = unclassified 5.5, living_street 5.5, road 5.5, busway 5.5, service 4, pedestrian 4
widths = track 3, footway 2, path 2, cycleway 2, steps 2, bridleway 2
class = road

[roads of Geofabrik's Shapefiles]
layer = gis_osm_roads*
field = fclass
widths = motorway 10, motorway_link 10, trunk 9, trunk_link 9, primary 8, primary_link 8
widths = secondary 7, secondary_link 7, tertiary 6, tertiary_link 6, residential 5.5
widths = unclassified 5.5, living_street 5.5, road 5.5, busway 5.5, service 4, pedestrian 4
widths = track 3, track_grade* 3, footway 2, path 2, cycleway 2, steps 2, bridleway 2
class = road
)";

constexpr std::string_view swiss = R"(# The Swiss official survey, in all that is published of it
[what is yet to be built]
layer = *proj*, *prog
class = ignore

[land cover]
layer = *lcsf*, *boflaeche*, *bodenbedeckung*, surfacecs, superficiecs
field = art_txt, Art, Bodenbedeckungsart
class = land-cover
)";

constexpr std::string_view bgt =
    R"(# The Dutch BGT; what has ended and what lies below ground is left out anyway
[buildings]
layer = *pand, BuildingPart
class = building

[verges]
layer = *ondersteunendwegdeel, AuxiliaryTrafficArea
class = other

[railways and runways]
layer = *wegdeel, TrafficArea
field = function, functie
values = spoorbaan, baan voor vliegverkeer
class = other

[roads]
layer = *wegdeel, TrafficArea
class = road
)";

constexpr std::string_view alkis =
    R"(# German ALKIS: the classes of NAS, and AdV's simplified schema
[buildings below ground]
layer = ax_gebaeude
field = lagezurerdoberflaeche
values = 1200
class = ignore

[buildings]
layer = ax_gebaeude, gebaeudebauwerk
class = building

[roads, ways and squares]
layer = ax_strassenverkehr, ax_weg, ax_platz
class = road

[traffic in the simplified schema]
layer = nutzung, *tatsaechlichenutzung*, nutzungflurstueck
field = nutzart
values = Straßenverkehr, Weg, Platz
class = road

[other land use]
layer = ax_bahnverkehr, ax_flugverkehr, ax_schiffsverkehr
layer = nutzung, *tatsaechlichenutzung*, nutzungflurstueck
class = other
)";

constexpr std::string_view geoclimate = R"(# GeoClimate, of OpenStreetMap or BD Topo
[buildings]
layer = building, buildings
class = building

[tunnels]
layer = road, roads
field = zindex
values = -*
class = ignore

[roads]
layer = road, roads
width-field = width
class = road
)";

constexpr std::array ready{Ready{"osm", osm}, Ready{"swiss", swiss}, Ready{"bgt", bgt},
                           Ready{"alkis", alkis}, Ready{"geoclimate", geoclimate}};

}  // namespace

std::optional<std::string_view> ready_rules(std::string_view name) {
    const auto* known =
        std::find_if(ready.begin(), ready.end(), [&](const Ready& r) { return r.name == name; });
    return known == ready.end() ? std::nullopt : std::optional(known->text);
}

std::string names_of_ready_rules() {
    std::string all;
    for (std::size_t i = 0; i < ready.size(); ++i)
        all += text(i == 0 ? "" : i + 1 < ready.size() ? ", " : " or ", ready[i].name);
    return all;
}

}  // namespace civitas::rules
