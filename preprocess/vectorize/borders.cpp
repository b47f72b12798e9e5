#include "borders.hpp"

#include <algorithm>
#include <tuple>

namespace civitas::vectorize {
namespace {

bool before(Point a, Point b) { return std::tie(a.x, a.y) < std::tie(b.x, b.y); }

/// Calls f(from, to) for the edges, the polygon on their left.
template <class F>
void for_edges(const OGRPolygon& polygon, F f) {
    const Shape shape = to_shape(polygon);
    const auto along = [&](const Ring& ring, bool outer) {
        const bool turn = (area(ring) > 0) != outer;
        for (std::size_t i = 0; i < ring.size(); ++i) {
            const Point a = ring[i], b = ring[(i + 1) % ring.size()];
            turn ? f(b, a) : f(a, b);
        }
    };
    along(shape.outer, true);
    for (const auto& hole : shape.holes) along(hole, false);
}

struct DirectedEdge {
    Point from, to;
};

bool edge_before(const DirectedEdge& a, const DirectedEdge& b) {
    return a.from == b.from ? before(a.to, b.to) : before(a.from, b.from);
}

}  // namespace

bool BorderIndex::Less::operator()(const Edge& a, const Edge& b) const {
    return a.from == b.from ? before(a.to, b.to) : before(a.from, b.from);
}

BorderIndex::BorderIndex(std::span<const OGRPolygon> polygons) {
    for (std::size_t i = 0; i < polygons.size(); ++i) {
        for_edges(polygons[i], [&](Point a, Point b) {
            owner_[before(a, b) ? Edge{a, b} : Edge{b, a}] = i;
        });
    }
}

std::map<std::size_t, double> BorderIndex::shared_with(const OGRPolygon& polygon) const {
    std::map<std::size_t, double> borders;
    for_edges(polygon, [&](Point a, Point b) {
        const auto found = owner_.find(before(a, b) ? Edge{a, b} : Edge{b, a});
        if (found != owner_.end()) borders[found->second] += distance(a, b);
    });
    return borders;
}

std::optional<std::size_t> BorderIndex::closest(const OGRPolygon& polygon) const {
    const auto borders = shared_with(polygon);
    const auto longest = std::max_element(borders.begin(), borders.end(),
                                          [](auto& a, auto& b) { return a.second < b.second; });
    if (longest == borders.end()) return std::nullopt;
    return longest->first;
}

bool fill(std::span<const OGRPolygon* const> polygons, Point low, Point high) {
    std::vector<DirectedEdge> edges;
    for (const auto* polygon : polygons) {
        if (!polygon->IsValid()) return false;
        for_edges(*polygon, [&](Point a, Point b) { edges.push_back({a, b}); });
    }
    std::sort(edges.begin(), edges.end(), edge_before);
    const auto on_frame = [&](const DirectedEdge& e) {
        const bool west_east = e.from.x == e.to.x && (e.from.x == low.x || e.from.x == high.x);
        const bool south_north = e.from.y == e.to.y && (e.from.y == low.y || e.from.y == high.y);
        return west_east || south_north;
    };
    const auto same = [](const DirectedEdge& a, const DirectedEdge& b) {
        return a.from == b.from && a.to == b.to;
    };
    if (std::adjacent_find(edges.begin(), edges.end(), same) != edges.end()) return false;
    return std::all_of(edges.begin(), edges.end(), [&](const DirectedEdge& e) {
        return on_frame(e) || std::binary_search(edges.begin(), edges.end(),
                                                 DirectedEdge{e.to, e.from}, edge_before);
    });
}

}  // namespace civitas::vectorize
