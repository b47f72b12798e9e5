#pragma once
/// Borders that polygons share. Those cut out of one network have equal vertices there, bit for
/// bit.
#include "ogr.hpp"

#include <map>
#include <span>

namespace civitas::vectorize {

/// Which of many polygons has a given edge.
class BorderIndex {
public:
    explicit BorderIndex(std::span<const OGRPolygon> polygons);
    /// Length of the border that the polygon has in common with each it touches.
    [[nodiscard]] std::map<std::size_t, double> shared_with(const OGRPolygon& polygon) const;
    /// The one with the longest, or nothing.
    [[nodiscard]] std::optional<std::size_t> closest(const OGRPolygon& polygon) const;

private:
    struct Edge {
        Point from, to;  ///< the smaller first
    };
    struct Less {
        bool operator()(const Edge& a, const Edge& b) const;
    };
    std::map<Edge, std::size_t, Less> owner_;
};

/// True when the polygons fill the box without a gap or an overlap, each valid and each vertex on a
/// border one of the neighbour's too.
[[nodiscard]] bool fill(std::span<const OGRPolygon* const> polygons, Point low, Point high);

}  // namespace civitas::vectorize
