#include "town.hpp"

#include "blocks.hpp"
#include "conform.hpp"
#include "fill.hpp"

namespace civitas::survey {
namespace {

void add(Art art, const std::vector<OGRPolygon>& parts, Town& town) {
    for (const OGRPolygon& part : parts) town.features.push_back({art, part});
}

/// Trees along the river between fields.
OGRPolygon without_banks(const OGRPolygon& land, const OGRGeometry& banks, Town& town) {
    const std::vector<OGRPolygon> dry = polygons(*difference(land, banks));
    if (dry.size() != 1 || dry.front().get_Area() > land.get_Area() - 1) return land;
    add(Art::copse, polygons(*intersection(land, banks)), town);
    return dry.front();
}

/// What is left of the quarter between its blocks; the blocks then share its vertices.
std::vector<OGRPolygon> inner_streets(const OGRPolygon& quarter, std::vector<Block>& blocks) {
    std::vector<const OGRPolygon*> lands{&quarter};
    for (const Block& block : blocks) lands.push_back(&block.land);
    const std::vector<OGRPolygon> joined = conform(lands);
    for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i].land = joined[i + 1];
    return polygons(*difference(joined[0], {joined.begin() + 1, joined.end()}));
}

/// A ring that touches itself is cut where it does.
std::vector<OGRPolygon> sound_parts(const OGRPolygon& land) {
    if (land.IsEmpty()) return {};
    if (valid(land)) return {land};
    return polygons(*repaired(land));
}

void join(Town& town) {
    std::vector<const OGRPolygon*> lands;
    for (const Feature& feature : town.features) lands.push_back(&feature.land);
    std::vector<OGRPolygon> joined = conform(lands);
    std::vector<Feature> features;
    for (std::size_t i = 0; i < joined.size(); ++i)
        for (const OGRPolygon& part : sound_parts(joined[i]))
            features.push_back({town.features[i].art, part});
    town.features = std::move(features);
}

}  // namespace

Town make_town(const TownChoice& choice) {
    const Seed seed = choice.seed;
    const Site site = make_site(choice);
    const Ground ground = cut_ground(site);
    Town town;
    town.streets = site.streets;
    add(Art::street, ground.roads, town);
    add(Art::railway, ground.rail, town);
    add(Art::river, ground.river, town);
    add(Art::lake, ground.lake, town);
    for (const OGRPolygon& market : ground.market)
        for (Feature& feature : fill_market(market, Dice(seed, "market")))
            town.features.push_back(std::move(feature));
    const Shape banks = strip(site.river, site.river_width / 2 + 14);
    std::uint64_t quarters = 0;
    std::uint64_t blocks = 0;
    for (const OGRPolygon& quarter : ground.quarters) {
        Division division = divide(site, quarter, Dice(seed, "quarter", quarters++));
        add(Art::street, inner_streets(quarter, division.blocks), town);
        for (Block& block : division.blocks) {
            if (block.zone == Zone::country && !block.sidewalks)
                block.land = without_banks(block.land, *banks, town);
            for (Feature& feature : fill(site, block, Dice(seed, "block", blocks++)))
                town.features.push_back(std::move(feature));
        }
        for (Street& street : division.streets) town.streets.push_back(std::move(street));
    }
    join(town);
    return town;
}

}  // namespace civitas::survey
