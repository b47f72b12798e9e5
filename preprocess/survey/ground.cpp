#include "site.hpp"

namespace civitas::survey {
namespace {

constexpr double rail_half_width = 7;
constexpr double station_half_width = 20;
constexpr double bank_road = 12;
constexpr double simplification = 0.3;

void append(std::vector<OGRPolygon>& list, const OGRGeometry& shape) {
    for (const OGRPolygon& part : polygons(shape)) list.push_back(part);
}

OGRPolygon square() {
    return polygon({{0, 0}, {survey_side, 0}, {survey_side, survey_side}, {0, survey_side}});
}

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

/// Roads along both sides of the river and the railway within the town, and around the lake:
/// every block of the town has streets on all sides.
void add_banks(const Site& site, const OGRGeometry& river, const OGRGeometry& rail,
               const OGRGeometry& lake, std::vector<OGRPolygon>& roads) {
    const OGRPolygon town = polygon(site.rings.back());
    const double river_road = site.river_width / 2 + bank_road - sidewalk_width;
    const Shape quays = difference(*strip(site.river, river_road), river);
    const Shape sidings = difference(*buffer(rail, bank_road - sidewalk_width), rail);
    append(roads, *intersection(*quays, town));
    append(roads, *intersection(*sidings, town));
    append(roads, *difference(*buffer(lake, bank_road), lake));
}

Shape main_roads(const Site& site, const OGRGeometry& river, const OGRGeometry& rail,
                 const OGRGeometry& lake) {
    std::vector<OGRPolygon> roads;
    for (const Street& street : site.streets)
        append(roads, *strip(street.centre, street.width / 2 - sidewalk_width));
    add_banks(site, river, rail, lake, roads);
    const Shape dry = difference(*together(roads), lake);
    return difference(*dry, polygon(site.market));
}

struct Neighbours {
    const OGRGeometry& rail;
    const OGRGeometry& river;
    const OGRGeometry& lake;
};

/// What the quarters lost to simplification goes to the rail, water or road beside it.
void give_scraps(const OGRGeometry& scraps, const Neighbours& neighbours, Ground& out) {
    const auto beside = [](const OGRPolygon& scrap, const OGRGeometry& land) {
        return !land.IsEmpty() && scrap.Distance(&land) < 0.01;
    };
    for (const OGRPolygon& scrap : polygons(scraps)) {
        if (beside(scrap, neighbours.rail))
            out.rail.push_back(scrap);
        else if (beside(scrap, neighbours.river))
            out.river.push_back(scrap);
        else if (beside(scrap, neighbours.lake))
            out.lake.push_back(scrap);
        else
            out.roads.push_back(scrap);
    }
    for (std::vector<OGRPolygon>* list : {&out.rail, &out.river, &out.lake, &out.roads})
        *list = polygons(*together(*list));
}

}  // namespace

Ground cut_ground(const Site& site) {
    const OGRPolygon all = square();
    const Shape lake = lake_shape(site);
    const Shape river = difference(*strip(site.river, site.river_width / 2), *lake);
    const Shape rail = rail_shape(site);
    const Shape roads = main_roads(site, *river, *rail, *lake);

    Ground out;
    Shape rest =
        difference(*difference(*difference(*difference(all, *roads), *rail), *river), *lake);
    const Shape market = difference(*difference(polygon(site.market), *river), *lake);
    append(out.market, *market);
    rest = difference(*rest, *buffer(*market, least_street - sidewalk_width));
    for (const OGRPolygon& part : polygons(*rest)) {
        if (part.get_Area() < 300) continue;
        for (const OGRPolygon& plain : polygons(*simplified(part, simplification)))
            out.quarters.push_back(valid(plain) ? plain : part);
    }
    const Shape open = difference(*difference(all, *together(out.quarters)), *market);
    const Shape unpaved = difference(*open, *roads);
    const Shape beside = difference(*unpaved, *rail);
    append(out.roads, *intersection(*open, *roads));
    append(out.rail, *intersection(*unpaved, *rail));
    append(out.river, *intersection(*beside, *river));
    append(out.lake, *intersection(*beside, *lake));
    const Shape water = difference(*beside, *river);
    give_scraps(*difference(*water, *lake), {*rail, *river, *lake}, out);
    return out;
}

}  // namespace civitas::survey
