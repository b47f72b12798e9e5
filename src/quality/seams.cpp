#include "civitas/quality/seams.hpp"

#include "civitas/random/permutation.hpp"
#include "civitas/random/stream.hpp"

#include <algorithm>
#include <limits>

namespace civitas::quality {
namespace {

using Line = std::vector<LandClass>;

/// The pixels of a tile along one of its borders, from the west or the north.
Line along(const ClassMap& map, Seam::Side side, bool far) {
    Line line;
    const std::int64_t at = far ? map.pixels - 1 : 0;
    for (std::int64_t i = 0; i < map.pixels; ++i)
        line.push_back(side == Seam::Side::east ? map.at(at, i) : map.at(i, at));
    return line;
}

struct Count {
    double pixels = 0, continued = 0;
    [[nodiscard]] double share() const {
        return pixels > 0 ? continued / pixels : std::numeric_limits<double>::quiet_NaN();
    }
};

void count(const Line& here, const Line& across, LandClass wanted, Count& counted) {
    for (std::size_t i = 0; i < here.size(); ++i) {
        if (here[i] != wanted) continue;
        const auto from = across.begin() + std::max<std::ptrdiff_t>(std::ptrdiff_t(i) - 1, 0);
        const auto end = across.begin() + std::min(std::ptrdiff_t(i) + 2, std::ssize(across));
        counted.pixels += 1;
        counted.continued += std::find(from, end, wanted) != end ? 1 : 0;
    }
}

}  // namespace

Continued continued(const SeamTiles& of) {
    Count buildings, roads;
    for (const Seam& seam : of.seams) {
        const Line here = along(of.tiles[seam.tile], seam.side, true);
        const Line across = along(of.tiles[seam.neighbour], seam.side, false);
        for (auto [wanted, counted] :
             {std::pair(LandClass::building, &buildings), std::pair(LandClass::road, &roads)}) {
            count(here, across, wanted, *counted);
            count(across, here, wanted, *counted);
        }
    }
    return {buildings.share(), roads.share()};
}

SeamTiles by_chance(SeamTiles of, Seed seed) {
    if (of.seams.empty()) return of;
    constexpr std::uint64_t of_seams = 101;
    const Permutation other(of.seams.size(), RandomStream(seed, Purpose::metric, {of_seams, 0}));
    const std::vector<Seam> seams = of.seams;
    for (std::size_t i = 0; i < seams.size(); ++i)
        of.seams[i].neighbour = seams[other(i)].neighbour;
    return of;
}

}  // namespace civitas::quality
