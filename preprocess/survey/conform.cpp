#include "conform.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>

namespace civitas::survey {
namespace {

constexpr double tolerance = 1e-5;
constexpr double grid = 1 << 20;
constexpr double cell = 8;

using Vertex = std::uint32_t;
using Loop = std::vector<Vertex>;

std::uint64_t key(double x, double y, double size) {
    const auto column = static_cast<std::int64_t>(std::floor(x / size)) + (1 << 30);
    const auto row = static_cast<std::int64_t>(std::floor(y / size)) + (1 << 30);
    return (static_cast<std::uint64_t>(column) << 32) | static_cast<std::uint64_t>(row);
}

/// All vertices of the plan, each once.
class Vertices {
public:
    Vertex weld(const Point& p) {
        for (const double dy : {0.0, -tolerance, tolerance})
            for (const double dx : {0.0, -tolerance, tolerance}) {
                const auto found = near_.find(key(p.x + dx, p.y + dy, tolerance));
                if (found != near_.end() && length(points_[found->second] - p) < tolerance)
                    return found->second;
            }
        return add({std::round(p.x * grid) / grid, std::round(p.y * grid) / grid});
    }

    [[nodiscard]] const Point& at(Vertex v) const { return points_[v]; }

    /// The vertices strictly between the ends of an edge that lie on it, in order.
    [[nodiscard]] Loop on_edge(Vertex from, Vertex to) const {
        std::vector<std::pair<double, Vertex>> found;
        const Point a = points_[from];
        const Point edge = points_[to] - a;
        const double whole = length(edge);
        const int pieces = static_cast<int>(whole / cell) + 1;
        for (int k = 0; k < pieces; ++k) {
            const double low = whole * k / pieces;
            const double high = whole * (k + 1) / pieces;
            search(a, edge * (1 / whole), {low, high}, from, to, found);
        }
        std::sort(found.begin(), found.end());
        Loop out;
        for (const auto& [along, v] : found)
            if (out.empty() || out.back() != v) out.push_back(v);
        return out;
    }

private:
    struct Stretch {
        double low;
        double high;
    };

    Vertex add(const Point& p) {
        const auto v = static_cast<Vertex>(points_.size());
        points_.push_back(p);
        near_.emplace(key(p.x, p.y, tolerance), v);
        cells_[key(p.x, p.y, cell)].push_back(v);
        return v;
    }

    void search(const Point& a, const Point& along, const Stretch& stretch, Vertex from, Vertex to,
                std::vector<std::pair<double, Vertex>>& found) const {
        const Point p = a + along * stretch.low;
        const Point q = a + along * stretch.high;
        const Point low{std::min(p.x, q.x) - tolerance, std::min(p.y, q.y) - tolerance};
        const Point high{std::max(p.x, q.x) + tolerance, std::max(p.y, q.y) + tolerance};
        for (double y = std::floor(low.y / cell) * cell; y <= high.y; y += cell)
            for (double x = std::floor(low.x / cell) * cell; x <= high.x; x += cell) {
                const auto here = cells_.find(key(x + cell / 2, y + cell / 2, cell));
                if (here == cells_.end()) continue;
                for (const Vertex v : here->second) {
                    const Point d = points_[v] - a;
                    const double s = dot(d, along);
                    if (v != from && v != to && s >= stretch.low && s <= stretch.high &&
                        std::abs(cross(along, d)) < tolerance)
                        found.emplace_back(s, v);
                }
            }
    }

    std::vector<Point> points_;
    std::unordered_map<std::uint64_t, Vertex> near_;
    std::unordered_map<std::uint64_t, std::vector<Vertex>> cells_;
};

/// Without repetitions and without spikes that go out and come back.
Loop tidy(const Loop& loop) {
    Loop out;
    for (const Vertex v : loop) {
        if (!out.empty() && out.back() == v) continue;
        if (out.size() > 1 && out[out.size() - 2] == v)
            out.pop_back();
        else
            out.push_back(v);
    }
    while (out.size() > 1) {
        const bool spike_at_front = out.size() > 2 && out[1] == out.back();
        const bool spike_at_back = out.size() > 2 && out[out.size() - 2] == out.front();
        if (spike_at_front)
            out.erase(out.begin());
        else if (spike_at_back || out.front() == out.back())
            out.pop_back();
        else
            break;
    }
    return out;
}

Loop welded(const OGRLinearRing& ring, Vertices& vertices) {
    Loop loop;
    for (int i = 0; i + 1 < ring.getNumPoints(); ++i)
        loop.push_back(vertices.weld({ring.getX(i), ring.getY(i)}));
    return tidy(loop);
}

Ring noded(const Loop& loop, const Vertices& vertices) {
    Loop out;
    for (std::size_t i = 0; i < loop.size(); ++i) {
        out.push_back(loop[i]);
        for (const Vertex v : vertices.on_edge(loop[i], loop[(i + 1) % loop.size()]))
            out.push_back(v);
    }
    Ring ring;
    for (const Vertex v : tidy(out)) ring.push_back(vertices.at(v));
    return ring;
}

bool vanished(const Ring& ring) { return ring.size() < 3 || std::abs(signed_area(ring)) < 1e-4; }

OGRPolygon noded(const std::vector<Loop>& loops, const Vertices& vertices) {
    const Ring outer = noded(loops.front(), vertices);
    if (vanished(outer)) return {};
    OGRPolygon land = polygon(outer);
    for (std::size_t k = 1; k < loops.size(); ++k) {
        const Ring hole = noded(loops[k], vertices);
        if (!vanished(hole)) land.addRing(polygon(hole).getExteriorRing());
    }
    return land;
}

}  // namespace

std::vector<OGRPolygon> conform(const std::vector<const OGRPolygon*>& lands) {
    Vertices vertices;
    std::vector<std::vector<Loop>> loops;
    for (const OGRPolygon* land : lands) {
        loops.emplace_back();
        for (const OGRLinearRing* ring : *land) loops.back().push_back(welded(*ring, vertices));
    }
    std::vector<OGRPolygon> out;
    out.reserve(loops.size());
    for (const std::vector<Loop>& land : loops) out.push_back(noded(land, vertices));
    return out;
}

}  // namespace civitas::survey
