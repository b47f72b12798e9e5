#include "civitas/inference/plan_record.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace civitas::inference {

Anchor parse_anchor(const std::string& words) {
    if (words.empty()) return {};
    constexpr double farthest = 1e8;
    std::istringstream in(words);
    Anchor anchor;
    char comma = 0;
    if (!(in >> anchor.easting >> comma >> anchor.northing) || comma != ',' || in.peek() != EOF ||
        std::max(std::abs(anchor.easting), std::abs(anchor.northing)) > farthest)
        throw UsageError(text("--anchor ", words, ": expected easting,northing in metres"),
                         Hint{"--anchor 2600000,1200000"});
    return anchor;
}

void require_metres(const std::string& words, const data::StoreHeader& ground) {
    const auto [x, y] = parse_anchor(words);
    const bool degrees = std::abs(x) <= 180 && std::abs(y) <= 180 && (x != 0 || y != 0);
    if (!degrees || ground.crs_epsg == 0) return;
    const auto system = text("EPSG:", ground.crs_epsg);
    throw UsageError(text("--anchor ", words, ": these look like degrees, and plans lie in ",
                          system, ", in metres"),
                     Hint{text("`echo LONGITUDE LATITUDE | gdaltransform -s_srs EPSG:4326 -t_srs ",
                               system, " -output_xy` gives easting and northing")});
}

void Plans::add(const data::Decoded& plan, Anchor corner) {
    std::array<std::int64_t, 3> counts{};
    for (const std::uint8_t c : plan.classes) ++counts.at(c);
    data::TileRecord record;
    record.easting = corner.easting;
    record.northing = corner.northing;
    record.cover = plan.cover;
    record.variance = data::variance_of(counts);
    records.push_back(record);
    tiles.push_back(data::pack(plan.classes));
}

}  // namespace civitas::inference
