#include "selection.hpp"

#include "ground.hpp"

#include <algorithm>
#include <cmath>

namespace civitas::maps {
namespace {

float threshold_of(const std::vector<Passed>& all, double quantile) {
    std::vector<float> variances;
    for (const auto& tile : all) variances.push_back(tile.variance);
    return variance_threshold(std::move(variances), quantile);
}

}  // namespace

float variance_threshold(std::vector<float> variances, double quantile) {
    if (variances.empty()) return 0;
    const auto below =
        static_cast<std::size_t>(std::floor(quantile * static_cast<double>(variances.size())));
    const auto place = std::min(below, variances.size() - 1);
    const auto nth = variances.begin() + static_cast<std::ptrdiff_t>(place);
    std::nth_element(variances.begin(), nth, variances.end());
    return *nth;
}

Chosen choose(const Grid& grid, const Settings& settings, std::vector<Passed> all) {
    Chosen chosen;
    if (settings.variance_quantile > 0)
        chosen.variance_threshold = threshold_of(all, settings.variance_quantile);
    std::erase_if(all, [&](const Passed& tile) {
        const bool flat = tile.variance < chosen.variance_threshold;
        if (flat) chosen.flat.push_back(tile.cell);
        return flat;
    });
    std::sort(all.begin(), all.end(),
              [](const Passed& a, const Passed& b) { return a.cell < b.cell; });

    std::vector<Point> places;
    for (const auto& tile : all) places.push_back(grid.upper_left(tile.cell));
    const auto splits = split_ground(places, settings.tile_metres, settings.test_share);
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!splits[i]) {
            chosen.across.push_back(all[i].cell);
            continue;
        }
        chosen.cells.push_back(all[i].cell);
        chosen.splits.push_back(*splits[i]);
    }
    return chosen;
}

std::int64_t count_test(const Chosen& chosen) {
    return std::count(chosen.splits.begin(), chosen.splits.end(), data::Split::test);
}

}  // namespace civitas::maps
