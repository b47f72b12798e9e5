#include "preprocess/survey/site.hpp"

namespace civitas::survey {
namespace {

constexpr double rail_half_width = 7;
constexpr double station_half_width = 20;
constexpr double quay = 12;

void append(std::vector<OGRPolygon>& list, const OGRGeometry& shape) {
    for (const OGRPolygon& part : polygons(shape)) list.push_back(part);
}

OGRPolygon square() { return polygon({{0, 0}, {side, 0}, {side, side}, {0, side}}); }

Shape lake_shape(const Site& site) {
    std::vector<OGRPolygon> parts;
    for (const Ring& ring : site.lakes) parts.push_back(polygon(ring));
    return together(parts);
}

Shape rail_shape(const Site& site) {
    std::vector<OGRPolygon> parts;
    append(parts, *strip(site.rail, rail_half_width));
    Line station;
    for (const Point& p : site.rail)
        if (site.zoning.outwardness(p) < 0.33) station.push_back(p);
    if (station.size() > 3)
        append(parts, *strip({station.begin() + 1, station.end() - 1}, station_half_width));
    return together(parts);
}

/// Roads along the banks inside the outermost ring road, and around the lake within the town.
void add_banks(const Site& site, const OGRGeometry& river, const OGRGeometry& lake,
               std::vector<OGRPolygon>& roads) {
    const OGRPolygon inner = polygon(site.rings.back());
    const Shape banks = difference(*strip(site.river, site.river_width / 2 + quay), river);
    append(roads, *intersection(*banks, inner));
    append(roads, *difference(*buffer(lake, quay), lake));
}

Shape main_roads(const Site& site, const OGRGeometry& river, const OGRGeometry& lake) {
    std::vector<OGRPolygon> roads;
    for (const Street& street : site.streets)
        append(roads, *strip(street.centre, street.width / 2 - sidewalk_width));
    add_banks(site, river, lake, roads);
    return difference(*together(roads), lake);
}

}  // namespace

Ground cut_ground(const Site& site) {
    const OGRPolygon all = square();
    const Shape lake = lake_shape(site);
    const Shape river = difference(*strip(site.river, site.river_width / 2), *lake);
    const Shape rail = rail_shape(site);
    const Shape roads = main_roads(site, *river, *lake);

    Ground out;
    Shape rest =
        difference(*difference(*difference(*difference(all, *roads), *rail), *river), *lake);
    for (const OGRPolygon& part : polygons(*rest)) {
        const Shape plain(part.SimplifyPreserveTopology(0.3));
        if (plain && part.get_Area() > 300) append(out.quarters, *plain);
    }
    // What the simplified quarters leave is shared out by rank: road, rail, water.
    const Shape quarters = together(out.quarters);
    const Shape open = difference(all, *quarters);
    const Shape tracks = difference(*intersection(*open, *rail), *roads);
    const Shape unbuilt = difference(*difference(*open, *roads), *tracks);
    const Shape flowing = intersection(*unbuilt, *river);
    const Shape standing = intersection(*unbuilt, *lake);
    append(out.rail, *tracks);
    append(out.river, *flowing);
    append(out.lake, *standing);
    append(out.roads, *difference(*difference(*difference(*open, *tracks), *flowing), *standing));
    return out;
}

}  // namespace civitas::survey
