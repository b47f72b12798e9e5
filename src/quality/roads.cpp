#include "civitas/quality/skeleton.hpp"
#include "components.hpp"
#include "groups.hpp"

namespace civitas::quality {

FigureGroup road_figures(const ClassMap& map) {
    const Mask roads(map, LandClass::road);
    const Network network = network_of(roads);
    const double hectares = map.hectares();
    const auto per_km2 = [&](std::int64_t n) { return 100 * static_cast<double>(n) / hectares; };
    const std::int64_t ends = network.exits + network.dead_ends;
    const auto patches = components_of(roads, Neighbours::eight);
    const double area = static_cast<double>(roads.area()) * map.pixel_metres * map.pixel_metres;
    FigureGroup group{
        "Roads",
        {{"road_area", "area", "m2/ha", {area / hectares}},
         {"road_length", "length", "m/ha", {network.length * map.pixel_metres / hectares}},
         {"road_junctions", "junctions", "/km2", {per_km2(network.junctions)}},
         {"road_dead_ends", "dead ends", "/km2", {per_km2(network.dead_ends)}},
         {"road_largest", "largest component", "share", {}},
         {"road_continuation", "edge continuation", "share", {}}}};
    if (!patches.empty()) group.figures[4].values = {largest_share(patches)};
    if (ends > 0)
        group.figures[5].values = {static_cast<double>(network.exits) / static_cast<double>(ends)};
    return group;
}

FigureGroup block_figures(const ClassMap& map) {
    const auto blocks = components_of(Mask(map, LandClass::road).inverted(), Neighbours::four);
    Figure area{"block_area", "area of a block", "m2", {}};
    for (const auto& block : blocks)
        area.values.push_back(static_cast<double>(block.size()) * map.pixel_metres *
                              map.pixel_metres);
    return {"Blocks",
            {{"block_count",
              "blocks per hectare",
              "/ha",
              {static_cast<double>(blocks.size()) / map.hectares()}},
             std::move(area),
             {"block_largest", "largest block", "share", {largest_share(blocks)}}}};
}

}  // namespace civitas::quality
