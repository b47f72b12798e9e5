#include "figures.hpp"

#include "civitas/base/error.hpp"
#include "placing.hpp"

#include <algorithm>
#include <iomanip>
#include <numeric>
#include <sstream>

namespace civitas::vectorize {
namespace {

double total_area(const Polygons& polygons) {
    double sum = 0;
    for (const auto& polygon : polygons) sum += polygon.get_Area();
    return sum;
}

/// As a field of a comma separated table.
std::string quoted(const std::string& words) {
    std::string field = "\"";
    for (const char c : words) field += c == '"' ? "\"\"" : std::string(1, c);
    return field + "\"";
}

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

void row(std::ostream& out, const std::string& name, const TileFigures& tile) {
    out << std::setw(8) << name << std::fixed << std::setprecision(1) << std::setw(11)
        << 100 * tile.building_share << std::setw(9) << 100 * tile.road_share << std::setw(9)
        << 100 * tile.other_share << std::setw(11) << tile.buildings << std::setw(10)
        << tile.mean_building << std::setw(11) << tile.median_building << "  "
        << (tile.detail == Detail::regular ? "" : name_of(tile.detail)) << '\n';
}

/// Means of the shares, the number of buildings, and their mean size over all tiles.
TileFigures totals(const std::vector<TileFigures>& tiles) {
    TileFigures all;
    double area = 0;
    std::vector<double> medians;
    const auto n = static_cast<double>(tiles.size());
    for (const auto& tile : tiles) {
        all.building_share += tile.building_share / n;
        all.road_share += tile.road_share / n;
        all.other_share += tile.other_share / n;
        all.buildings += tile.buildings;
        area += tile.mean_building * static_cast<double>(tile.buildings);
        if (tile.buildings > 0) medians.push_back(tile.median_building);
    }
    if (all.buildings > 0) all.mean_building = area / static_cast<double>(all.buildings);
    all.median_building = median(medians);
    return all;
}

}  // namespace

const char* name_of(Detail detail) {
    switch (detail) {
        case Detail::regular: return "regular";
        case Detail::fitted: return "straight";
        case Detail::pixels: break;
    }
    return "pixels";
}

TileFigures figures_of(const Plan& plan, double tile_metres) {
    const double tile = tile_metres * tile_metres;
    TileFigures figures;
    figures.building_share = total_area(plan.buildings) / tile;
    figures.road_share = total_area(plan.roads) / tile;
    figures.other_share = total_area(plan.other) / tile;
    figures.metres = tile_metres;
    std::vector<double> areas;
    for (const auto& building : plan.buildings) areas.push_back(building.get_Area());
    set_buildings(figures, std::move(areas));
    figures.detail = plan.detail;
    return figures;
}

void set_buildings(TileFigures& tile, std::vector<double> areas) {
    tile.buildings = static_cast<std::int64_t>(areas.size());
    const double sum = std::accumulate(areas.begin(), areas.end(), 0.0);
    tile.mean_building = areas.empty() ? 0 : sum / static_cast<double>(areas.size());
    tile.median_building = median(std::move(areas));
}

OGRPolygon ground_of(const TileFigures& tile) {
    const auto place = pixels_to_metres(tile.metres, {tile.west, tile.south});
    return to_polygon({{place({0, 0}), place({1, 0}), place({1, 1}), place({0, 1})}, {}});
}

std::string table_text(const std::vector<TileFigures>& tiles, std::size_t rows) {
    std::ostringstream out;
    out << "    tile  buildings    roads    other  buildings   mean m2  median m2\n"
        << "                  %        %        %     number\n";
    const std::size_t shown = std::min(rows, tiles.size());
    for (std::size_t i = 0; i < shown; ++i) row(out, std::to_string(tiles[i].tile), tiles[i]);
    if (shown < tiles.size()) out << "     ... " << tiles.size() - shown << " more\n";
    if (!tiles.empty()) row(out, "all", totals(tiles));
    return out.str();
}

std::string table_csv(const std::vector<TileFigures>& tiles, const std::string& licence) {
    std::ostringstream out;
    out << "tile,west,south,building_share,road_share,other_share,buildings,mean_building_m2,"
           "median_building_m2,outlines,licence\n"
        << std::setprecision(12);
    for (const auto& t : tiles) {
        out << t.tile << ',' << t.west << ',' << t.south << ',' << t.building_share << ','
            << t.road_share << ',' << t.other_share << ',' << t.buildings << ',' << t.mean_building
            << ',' << t.median_building << ',' << name_of(t.detail) << ',' << quoted(licence)
            << '\n';
    }
    return out.str();
}

}  // namespace civitas::vectorize
