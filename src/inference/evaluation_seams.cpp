#include "evaluation_sets.hpp"

#include "civitas/data/neighbours.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace civitas::inference {
namespace {

/// So many seams say what a share is to a percent.
constexpr std::int64_t most_seams = 1000;

struct RowSeam {
    TileIndex tile{}, neighbour{};
    quality::Seam::Side side{};
};

/// Of the seams of these rows at most so many, evenly spread.
std::vector<RowSeam> row_seams(const data::TileStore& store, const std::vector<TileIndex>& rows) {
    using Side = quality::Seam::Side;
    const auto places = data::places_of(store, rows);
    const data::Neighbours neighbours(places, store.header().tile_metres);
    std::vector<RowSeam> all;
    for (const auto& place : places)
        for (const auto& [side, way] :
             {std::pair(Side::east, data::Side::east), std::pair(Side::south, data::Side::south)})
            if (const auto other = neighbours.of(place.tile, way))
                all.push_back({TileIndex{place.tile}, TileIndex{*other}, side});
    std::vector<RowSeam> some;
    const std::int64_t count = std::min(most_seams, std::ssize(all));
    for (std::int64_t i = 0; i < count; ++i)
        some.push_back(all[static_cast<std::size_t>(i * std::ssize(all) / count)]);
    return some;
}

}  // namespace

quality::SeamTiles EvaluationSource::seam_tiles(const data::TileStore& store,
                                                const std::vector<TileIndex>& rows) const {
    quality::SeamTiles of;
    std::map<TileIndex, std::size_t> read_already;
    const auto place_of = [&](TileIndex row) {
        const auto [found, is_new] = read_already.emplace(row, of.tiles.size());
        if (is_new) of.tiles.push_back(std::move(read(store, std::array{row}).stored.front()));
        return found->second;
    };
    for (const RowSeam& seam : row_seams(store, rows)) {
        const std::size_t tile = place_of(seam.tile);
        of.seams.push_back({tile, place_of(seam.neighbour), seam.side});
    }
    return of;
}

std::optional<quality::SeamShares> EvaluationSource::seams() const {
    if (!plans_) return std::nullopt;
    const quality::SeamTiles plans = seam_tiles(*plans_, all_rows(*plans_));
    if (plans.seams.empty()) return std::nullopt;
    const quality::SeamTiles test = seam_tiles(tiles_, tiles_.rows(data::Split::test));
    const quality::PerSet<quality::Continued> shares{
        quality::continued(plans),
        quality::continued(seam_tiles(tiles_, tiles_.rows(data::Split::train))),
        quality::continued(quality::by_chance(test, Seed{compared_.seed}))};
    const quality::Continued of_test = quality::continued(test);
    const auto of = [&](double quality::Continued::*share) {
        return quality::OfSets{{shares.plans.*share, shares.train.*share, shares.noise.*share},
                               of_test.*share};
    };
    return quality::SeamShares{of(&quality::Continued::building), of(&quality::Continued::road)};
}

}  // namespace civitas::inference
