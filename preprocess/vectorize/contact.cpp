#include "contact.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>

namespace civitas::vectorize {

Borders borders_of(const OGRPolygon& polygon, const OGREnvelope& tile) {
    Borders borders;
    const auto ring = to_shape(polygon).outer;
    for (std::size_t i = 0; i < ring.size(); ++i) {
        const Point a = ring[i], b = ring[(i + 1) % ring.size()];
        const auto add = [&](Side side, bool on_it, double from, double to) {
            if (on_it) borders[at(side)].push_back(std::minmax(from, to));
        };
        if (a.x == b.x) {
            add(Side::west, a.x == tile.MinX, a.y, b.y);
            add(Side::east, a.x == tile.MaxX, a.y, b.y);
        }
        if (a.y == b.y) {
            add(Side::south, a.y == tile.MinY, a.x, b.x);
            add(Side::north, a.y == tile.MaxY, a.x, b.x);
        }
    }
    return borders;
}

double common(const Stretches& a, const Stretches& b) {
    double sum = 0;
    for (const auto& [a0, a1] : a) {
        for (const auto& [b0, b1] : b) sum += std::max(0.0, std::min(a1, b1) - std::max(a0, b0));
    }
    return sum;
}

Polygons joined_over_borders(std::string_view what, const Polygons& pieces, std::int64_t tile) {
    if (pieces.size() == 1) return pieces;
    const QuietGdal quiet;  // its words are no failure to write the map
    auto whole = dissolved(pieces);
    if (whole.empty())
        throw Error(text("a ", what, " of tile ", tile, " cannot be joined with its pieces in ",
                         "other tiles: ", quiet.failure()),
                    Hint{"--tiles without it"});
    return whole;
}

}  // namespace civitas::vectorize
