#include "landscape.hpp"

#include "components.hpp"
#include "groups.hpp"
#include "neighbours.hpp"

#include <cmath>

namespace civitas::quality {
namespace {

/// The largest square of whole pixels in an area, and what is left over.
struct Square {
    std::int64_t side = 0;
    std::int64_t rest = 0;
};
Square largest_square(std::int64_t area) {
    auto side = static_cast<std::int64_t>(std::sqrt(static_cast<double>(area)));
    while (side * side > area) --side;
    while ((side + 1) * (side + 1) <= area) ++side;
    return {side, area - side * side};
}

/// The fewest sides that an area of pixels can have.
std::int64_t fewest_sides(std::int64_t area) {
    const Square square = largest_square(area);
    return 4 * square.side + (square.rest == 0 ? 0 : square.rest <= square.side ? 2 : 4);
}

/// The most pairs of pixels side by side that an area can have (He, DeZonia and Mladenoff 2000).
std::int64_t most_adjacencies(std::int64_t area) {
    const auto [side, rest] = largest_square(area);
    const std::int64_t square = 2 * side * (side - 1);
    return rest == 0 ? square : square + 2 * rest - (rest <= side ? 1 : 2);
}

std::int64_t perimeter_of(const std::vector<Pixel>& patch, const Mask& mask) {
    std::int64_t sides = 0;
    for (const Pixel p : patch)
        for (const Pixel q : four_neighbours(p)) sides += mask.at(q) ? 0 : 1;
    return sides;
}

std::vector<double> mean_fractal(const Components& patches, const Mask& mask, double metres) {
    double sum = 0;
    int counted = 0;
    for (const auto& patch : patches) {
        const double area = static_cast<double>(patch.size()) * metres * metres;
        if (area < least_patch_m2) continue;
        const double perimeter = static_cast<double>(perimeter_of(patch, mask)) * metres;
        sum += 2 * std::log(perimeter / 4) / std::log(area);
        ++counted;
    }
    if (counted == 0) return {};
    return {sum / counted};
}

std::vector<Figure> named(const LandscapeIndices& i, const std::array<std::string_view, 8>& keys) {
    return {{keys[0], "PLAND, cover", "%", {i.cover_percent}},
            {keys[1], "NP, patches", "", {i.patches}},
            {keys[2], "PD, patch density", "/100 ha", {i.patch_density}},
            {keys[3], "LPI, largest patch", "%", {i.largest_percent}},
            {keys[4], "ED, edge density", "m/ha", {i.edge_density}},
            {keys[5], "LSI, landscape shape", "", i.shape},
            {keys[6], "AI, aggregation", "%", i.aggregation},
            {keys[7], "FRAC_MN, fractal dimension", "", i.fractal}};
}

}  // namespace

LandscapeIndices landscape_indices(const Mask& mask, double metres) {
    const auto patches = components_of(mask, Neighbours::eight);
    const std::int64_t area = mask.area();
    const auto pixels = static_cast<double>(mask.pixels() * mask.pixels());
    const double hectares = pixels * metres * metres / 10'000;
    const Sides sides = sides_of(mask);
    LandscapeIndices found;
    found.cover_percent = 100 * static_cast<double>(area) / pixels;
    found.patches = static_cast<double>(patches.size());
    found.patch_density = 100 * found.patches / hectares;
    found.largest_percent = 100 * static_cast<double>(largest_of(patches)) / pixels;
    found.edge_density = static_cast<double>(sides.inner) * metres / hectares;
    if (area == 0) return found;
    const std::int64_t all = sides.inner + sides.border;
    found.shape = {static_cast<double>(all) / static_cast<double>(fewest_sides(area))};
    // Every pixel has four sides, and those that are no edge are each shared by two pixels.
    const std::int64_t most = most_adjacencies(area);
    if (most > 0)
        found.aggregation = {100 * static_cast<double>(4 * area - all) /
                             static_cast<double>(2 * most)};
    found.fractal = mean_fractal(patches, mask, metres);
    return found;
}

FigureGroup building_patch_figures(const ClassMap& map) {
    return {"Landscape indices of buildings",
            named(landscape_indices(Mask(map, LandClass::building), map.pixel_metres),
                  {"building_pland", "building_np", "building_pd", "building_lpi", "building_ed",
                   "building_lsi", "building_ai", "building_frac_mn"})};
}

FigureGroup road_patch_figures(const ClassMap& map) {
    return {"Landscape indices of roads",
            named(landscape_indices(Mask(map, LandClass::road), map.pixel_metres),
                  {"road_pland", "road_np", "road_pd", "road_lpi", "road_ed", "road_lsi", "road_ai",
                   "road_frac_mn"})};
}

}  // namespace civitas::quality
