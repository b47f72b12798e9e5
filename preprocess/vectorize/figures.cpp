#include "preprocess/vectorize/figures.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>
#include <iomanip>
#include <sstream>

namespace civitas::vectorize {
namespace {

double total_area(const Polygons& polygons) {
    double sum = 0;
    for (const auto& polygon : polygons) sum += polygon.get_Area();
    return sum;
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
    figures.buildings = static_cast<std::int64_t>(plan.buildings.size());
    std::vector<double> areas;
    for (const auto& building : plan.buildings) areas.push_back(building.get_Area());
    figures.median_building = median(areas);
    if (!areas.empty()) {
        figures.mean_building = total_area(plan.buildings) / static_cast<double>(areas.size());
    }
    figures.detail = plan.detail;
    return figures;
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

std::string table_csv(const std::vector<TileFigures>& tiles) {
    std::ostringstream out;
    out << "tile,west,south,building_share,road_share,other_share,buildings,mean_building_m2,"
           "median_building_m2,outlines\n"
        << std::setprecision(12);
    for (const auto& t : tiles) {
        out << t.tile << ',' << t.west << ',' << t.south << ',' << t.building_share << ','
            << t.road_share << ',' << t.other_share << ',' << t.buildings << ',' << t.mean_building
            << ',' << t.median_building << ',' << name_of(t.detail) << '\n';
    }
    return out.str();
}

}  // namespace civitas::vectorize
