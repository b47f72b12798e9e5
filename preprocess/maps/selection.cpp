#include "preprocess/maps/selection.hpp"

#include "preprocess/maps/ground.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace civitas::maps {
namespace {

/// What all ranks need to know of a tile.
struct Brief {
    Point upper_left;
    float variance = 0;
};

std::vector<Brief> briefs_of(const Cuttings& cuttings) {
    std::vector<Brief> briefs;
    for (const auto& record : cuttings.records)
        briefs.push_back({{record.easting, record.northing}, record.variance});
    return briefs;
}

float threshold_of(const std::vector<Brief>& all, double quantile) {
    std::vector<float> variances;
    for (const auto& brief : all) variances.push_back(brief.variance);
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

Chosen choose(const comm::Communicator& ranks, const Settings& settings, Cuttings& mine,
              Tally& left_out) {
    const auto own = briefs_of(mine);
    const auto all = ranks.all_gather(std::span<const Brief>(own));
    Chosen chosen;
    chosen.variance_threshold =
        settings.variance_quantile > 0 ? threshold_of(all, settings.variance_quantile) : 0;

    std::vector<Point> places;
    for (const auto& brief : all)
        if (brief.variance >= chosen.variance_threshold) places.push_back(brief.upper_left);
    const auto splits = split_ground(places, settings.tile_metres, settings.test_share);

    // Where this rank's tiles begin among those of all ranks.
    const auto passes = [&](const Brief& b) { return b.variance >= chosen.variance_threshold; };
    const auto counts =
        ranks.all_gather(static_cast<std::int64_t>(std::count_if(own.begin(), own.end(), passes)));
    std::int64_t next = 0;
    for (int r = 0; r < index(ranks.rank()); ++r) next += counts[static_cast<std::size_t>(r)];

    for (std::size_t i = 0; i < own.size(); ++i) {
        if (!passes(own[i])) {
            ++left_out["tiles below the variance quantile"];
            continue;
        }
        const auto split = splits[static_cast<std::size_t>(next++)];
        if (!split) {
            ++left_out["tiles across train and test ground"];
            continue;
        }
        chosen.records.push_back(mine.records[i]);
        chosen.records.back().split = *split;
        chosen.tiles.push_back(std::move(mine.tiles[i]));
    }
    return chosen;
}

}  // namespace civitas::maps
