#include "civitas/quality/obedience.hpp"

#include "mean.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>
#include <cmath>

namespace civitas::quality {
namespace {

/// Of each image the mean of a channel, -1..1 counting as 0..1.
std::vector<double> soft_shares(const ImageSet& set, int channel) {
    const auto area = static_cast<std::size_t>(set.pixels * set.pixels);
    const auto channels = static_cast<std::size_t>(set.channels);
    std::vector<double> shares;
    for (std::size_t i = 0; i < static_cast<std::size_t>(set.count); ++i) {
        double sum = 0;
        const std::size_t first = (i * channels + static_cast<std::size_t>(channel)) * area;
        for (std::size_t p = first; p < first + area; ++p) sum += (set.values_BCHW[p] + 1) / 2;
        shares.push_back(sum / static_cast<double>(area));
    }
    return shares;
}

std::vector<double> stored_shares(const std::vector<ClassMap>& maps, LandClass wanted) {
    std::vector<double> shares;
    for (const ClassMap& map : maps)
        shares.push_back(
            static_cast<double>(std::count(map.classes.begin(), map.classes.end(), wanted)) /
            static_cast<double>(map.classes.size()));
    return shares;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
    const double mean_a = mean_of(a), mean_b = mean_of(b);
    double aa = 0, ab = 0, bb = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        aa += (a[i] - mean_a) * (a[i] - mean_a);
        ab += (a[i] - mean_a) * (b[i] - mean_b);
        bb += (b[i] - mean_b) * (b[i] - mean_b);
    }
    return ab / std::sqrt(aa * bb);
}

}  // namespace

Obedience obedience_of(std::string_view key, std::string_view name,
                       const std::vector<double>& wished, const std::vector<double>& drawn) {
    ensure(wished.size() == drawn.size(), "each plan was asked for something");
    std::vector<double> errors;
    for (std::size_t i = 0; i < wished.size(); ++i)
        errors.push_back(std::abs(drawn[i] - wished[i]));
    return {
        key, name, mean_of(wished), mean_of(drawn), mean_of(errors), correlation(wished, drawn)};
}

std::vector<Obedience> obedience_of(const std::vector<WishedCover>& wished, const ImageSet& soft,
                                    const std::vector<ClassMap>& stored) {
    if (wished.empty()) return {};
    std::vector<double> building, road;
    for (const WishedCover& one : wished) {
        building.push_back(one.building);
        road.push_back(one.road);
    }
    std::vector<Obedience> found;
    if (soft.channels > 1) {
        found.push_back(
            obedience_of("building", "buildings, soft", building, soft_shares(soft, 0)));
        found.push_back(obedience_of("road", "roads, soft", road, soft_shares(soft, 1)));
    }
    found.push_back(obedience_of("stored_building", "buildings, stored", building,
                                 stored_shares(stored, LandClass::building)));
    found.push_back(
        obedience_of("stored_road", "roads, stored", road, stored_shares(stored, LandClass::road)));
    return found;
}

}  // namespace civitas::quality
