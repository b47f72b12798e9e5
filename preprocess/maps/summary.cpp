#include "summary.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "crs.hpp"
#include "source.hpp"

#include <cmath>
#include <iomanip>
#include <set>
#include <tuple>
#include <utility>

namespace civitas::maps {
namespace {

constexpr std::size_t at(LandClass value) { return static_cast<std::size_t>(value); }

std::string hectares(double square_metres) {
    return text(std::fixed, std::setprecision(2), square_metres / 1e4, " ha");
}

std::string percent(double share) {
    return text(std::fixed, std::setprecision(1), 100 * share, " %");
}

std::string comparison(const Totals& totals, LandClass value) {
    const double polygons = totals.polygon_area[at(value)];
    const double burned = totals.burned_area[at(value)];
    if (polygons <= 0) return "none";
    return text(hectares(burned), " of ", hectares(polygons), " (", percent(burned / polygons),
                ")");
}

std::string licence_of(const Plan& plan, const Settings& settings) {
    std::set<std::string> terms;
    if (settings.sample)
        terms.insert("Synthetic survey of a fictitious place, made by Civitas; free of rights.");
    for (const auto& task : plan.tasks) {
        const auto& name = task.dataset.name;
        const char* driver = driver_of(name);
        const bool osm = driver != nullptr && std::string_view(driver) == "OSM";
        if (osm || plan.rules.name == "osm")
            terms.insert(
                "Contains data of OpenStreetMap: \u00a9 OpenStreetMap contributors, available "
                "under "
                "the Open Database License (ODbL) 1.0, https://www.openstreetmap.org/copyright. "
                "These tiles are a derivative database under the same licence.");
        else if (task.reading == Reading::land_cover && !settings.sample)
            terms.insert(
                "Contains land cover of the official survey: the terms of the canton or office "
                "that published it apply; name the source.");
        else if (!settings.sample)
            terms.insert("The terms of the source maps apply.");
    }
    if (!settings.licence.empty()) terms.insert(settings.licence);
    return join(terms, "\n");
}

}  // namespace

void sum_areas(const comm::Communicator& ranks, const Areas& mine, double pixel_metres,
               Totals& totals) {
    for (std::size_t c = 0; c < totals.burned_area.size(); ++c) {
        const auto pixels = static_cast<double>(ranks.sum(mine.pixels[c]));
        totals.burned_area[c] = pixels * pixel_metres * pixel_metres;
        totals.polygon_area[c] =
            static_cast<double>(ranks.sum(mine.polygons[c])) / square_centimetres_in_a_metre;
    }
}

std::vector<std::string> areas_in_words(const Totals& totals) {
    std::vector<std::string> lines{text("burned: buildings ",
                                        comparison(totals, LandClass::building), ", roads ",
                                        comparison(totals, LandClass::road),
                                        " of their polygons in these tiles; overlaps count once")};
    for (const auto& [value, name, tolerated] :
         {std::tuple{LandClass::building, "buildings", 0.05},
          std::tuple{LandClass::road, "roads", 0.25}}) {  // road lines overlap at every crossing
        const double polygons = totals.polygon_area[at(value)];
        const double burned = totals.burned_area[at(value)];
        if (std::abs(burned - polygons) > tolerated * polygons)
            lines.push_back(text("warning: burned ", name,
                                 " differ from their polygons by more than ", percent(tolerated),
                                 ": they overlap, or are small beside a pixel"));
    }
    return lines;
}

void report_left_out(const Tally& left_out, Log& log) {
    bool first = true;
    for (const auto& [reason, count] : left_out) {
        if (count == 0) continue;
        if (std::exchange(first, false)) log.info("left out or mended:");
        log.info(text("  ", count, "  ", reason));
    }
}

void require_tiles(const Totals& totals, const Settings& settings) {
    if (totals.tiles > 0) return;
    if (totals.cut_by_edge > 0)
        throw Error(text("no tile is left: ", totals.cut_by_edge,
                         " with enough buildings and roads are cut by the edge of the data (",
                         totals.edge, ")"),
                    Hint{"--edge keep takes what lies beyond for open land; --outline LAYER says "
                         "where the data ends; smaller tiles: --tile-metres 125"});
    throw Error(
        text("no tile has at least ", percent(settings.min_building), " buildings and ",
             percent(settings.min_road), " roads; the most found are ",
             percent(totals.most.building), " buildings and ", percent(totals.most.road), " roads"),
        Hint{"lower --min-building or --min-road"});
}

data::StoreHeader make_header(const Settings& settings, const Plan& plan, const Totals& totals,
                              float variance_threshold) {
    const auto crs = parse_crs(plan.target_crs);
    data::StoreHeader header;
    header.crs_epsg = epsg(crs);
    header.crs_wkt = plan.target_crs;
    header.tile_metres = settings.tile_metres;
    header.pixels = settings.pixels;
    header.numbers = {{"stride_metres", settings.stride_metres},
                      {"min_building", settings.min_building},
                      {"min_road", settings.min_road},
                      {"variance_quantile", settings.variance_quantile},
                      {"variance_threshold", static_cast<double>(variance_threshold)},
                      {"test_share", settings.test_share},
                      {"building_polygons_m2", totals.polygon_area[at(LandClass::building)]},
                      {"building_burned_m2", totals.burned_area[at(LandClass::building)]},
                      {"road_polygons_m2", totals.polygon_area[at(LandClass::road)]},
                      {"road_burned_m2", totals.burned_area[at(LandClass::road)]}};
    header.dropped = totals.left_out;
    // These were used after all.
    if (const auto mended = header.dropped.extract(mended_polygons))
        header.numbers["mended_polygons"] = static_cast<double>(mended.mapped());
    header.sources = plan.sources;
    header.licence = licence_of(plan, settings);
    header.command = settings.command;
    return header;
}

}  // namespace civitas::maps
