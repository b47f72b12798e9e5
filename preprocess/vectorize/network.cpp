#include "network.hpp"

#include "civitas/base/error.hpp"
#include "outline.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace civitas::vectorize {
namespace {

constexpr double kSmoothings = 3;        // rounds of binomial smoothing, per pixel of tolerance
constexpr double kClose = 0.5;           // pixels: no vertex of its own for so short a stretch
constexpr double kNearEnd = 2;           // pixels
constexpr double kRoadTolerance = 1.25;  // times a building's

/// A run of cracks with open ground beyond, and what it ends at.
struct Run {
    std::vector<Point> middles;
    Point start, end;
    bool closed = false;
};

std::vector<Run> runs_along_open_ground(std::vector<Crack> ring) {
    const auto open = [](const Crack& c) { return c.beyond == kOther; };
    const auto stop = std::find_if_not(ring.begin(), ring.end(), open);
    const bool closed = stop == ring.end();
    if (!closed) std::rotate(ring.begin(), stop, ring.end());
    std::vector<Run> runs;
    for (std::size_t i = 0; i < ring.size(); ++i) {
        if (!open(ring[i])) continue;
        if (i == 0 || !open(ring[i - 1])) runs.push_back({{}, ring[i].from, {}, closed});
        runs.back().middles.push_back(ring[i].middle);
        runs.back().end = ring[(i + 1) % ring.size()].from;
    }
    return runs;
}

std::vector<Edge> edges_of(const Run& run, double tolerance) {
    if (run.middles.size() > 1) {
        return fitted_edges(smoothed(run.middles, std::lround(kSmoothings * tolerance)), run.start,
                            kRoadTolerance * tolerance);
    }
    return {{{run.middles.front(), unit(run.end - run.start)}, 1, run.start, false, -1}};
}

Polyline straightened(const Run& run, double tolerance) {
    const auto edges = edges_of(run, tolerance);
    Polyline line{projected(run.start, edges.front().line)};
    for (std::size_t i = 1; i < edges.size(); ++i) {
        for (const Point p : corner(edges[i - 1], edges[i])) line.push_back(p);
    }
    line.push_back(projected(run.end, edges.back().line));
    return line;
}

struct Box {
    Point low, high;
    [[nodiscard]] double distance_to(Point p) const {
        return distance(p, {std::clamp(p.x, low.x, high.x), std::clamp(p.y, low.y, high.y)});
    }
};

Box box_of(const Ring& ring) {
    Box box{ring.front(), ring.front()};
    for (const Point p : ring) {
        box.low = {std::min(box.low.x, p.x), std::min(box.low.y, p.y)};
        box.high = {std::max(box.high.x, p.x), std::max(box.high.y, p.y)};
    }
    return box;
}

/// Make the ring pass through its point nearest to p, and return that point.
Point attached(Point p, Ring& ring) {
    std::size_t best = 0;
    Point at = ring.front();
    for (std::size_t i = 0; i < ring.size(); ++i) {
        const Point q = nearest_on_segment(p, ring[i], ring[(i + 1) % ring.size()]);
        if (distance(p, q) < distance(p, at)) at = q, best = i;
    }
    const Point from = ring[best], to = ring[(best + 1) % ring.size()];
    if (at != from && at != to)
        ring.insert(ring.begin() + static_cast<std::ptrdiff_t>(best) + 1, at);
    return at;
}

/// Where a line that ends near `end` has to go: to the tile's border when its pixels end there,
/// else to the nearest building.
Point attached(Point end, Point lattice, std::vector<Ring>& rings, const std::vector<Box>& boxes,
               double side) {
    if (lattice.x == 0 || lattice.x == side) return attached({lattice.x, end.y}, rings.back());
    if (lattice.y == 0 || lattice.y == side) return attached({end.x, lattice.y}, rings.back());
    double least = std::numeric_limits<double>::max();
    std::size_t nearest = 0;
    for (std::size_t r = 0; r < boxes.size(); ++r) {
        if (boxes[r].distance_to(end) >= least) continue;
        const double gap = distance(end, nearest_on_ring(end, rings[r]));
        if (gap < least) least = gap, nearest = r;
    }
    return attached(end, rings[nearest]);
}

/// Where the last stretch of a line crosses the tile's border, if that is near its pixels' end.
Point led_to_frame(const Polyline& line, Point lattice, double side) {
    const bool vertical = lattice.x == 0 || lattice.x == side;
    const bool horizontal = lattice.y == 0 || lattice.y == side;
    if (vertical == horizontal || line.back() == line[line.size() - 2]) return line.back();
    const Line border{lattice, vertical ? Point{0, 1} : Point{1, 0}};
    const auto meet =
        crossing({line.back(), unit(line.back() - line[line.size() - 2])}, border, 0.2);
    return meet && distance(*meet, lattice) < kNearEnd ? *meet : line.back();
}

std::vector<Ring> rings_of(const Polygons& polygons) {
    std::vector<Ring> rings;
    for (const auto& polygon : polygons) {
        auto shape = to_shape(polygon);
        rings.push_back(std::move(shape.outer));
        for (auto& hole : shape.holes) rings.push_back(std::move(hole));
    }
    return rings;
}

void add_line(OGRMultiLineString& lines, const Polyline& points) {
    OGRLineString line;
    for (const Point p : points) line.addPoint(p.x, p.y);
    lines.addGeometry(&line);
}

/// A line that leaves the tile and comes back cuts off a face out there.
bool outside(const OGRPolygon& face, double side) {
    OGREnvelope extent;
    face.getEnvelope(&extent);
    return std::min(extent.MinX, extent.MinY) < 0 || std::max(extent.MaxX, extent.MaxY) > side;
}

Polyline closed(Ring ring) {
    ring.push_back(ring.front());
    return ring;
}

/// Draws the borders of roads into a network that has its rings.
class RoadBorders {
public:
    RoadBorders(const ClassRaster& raster, const std::vector<Ring>& outlines, double tolerance,
                Detail detail)
        : raster_(raster), tolerance_(tolerance), detail_(detail) {
        for (const auto& ring : outlines) boxes_.push_back(box_of(ring));
    }

    void draw(const Ring& ring, Network& lines) const {
        if (detail_ == Detail::pixels) {  // closed whatever the buildings look like
            lines.road_borders.push_back(closed(ring));
            return;
        }
        const auto steps = cracks(ring, raster_, kRoad);
        const auto runs = runs_along_open_ground(steps);
        if (runs.size() == 1 && runs.front().closed) {
            lines.road_borders.push_back(closed(island(ring, steps)));
            return;
        }
        for (const auto& run : runs) {
            auto line = straightened(run, tolerance_);
            attach_end(line, run.end, lines.rings);
            std::reverse(line.begin(), line.end());
            attach_end(line, run.start, lines.rings);
            lines.road_borders.push_back(std::move(line));
        }
    }

private:
    /// Lead the last point to what the line ends at.
    void attach_end(Polyline& line, Point lattice, std::vector<Ring>& rings) const {
        line.back() = led_to_frame(line, lattice, raster_.side);
        const Point at = attached(line.back(), lattice, rings, boxes_, raster_.side);
        if (distance(at, line.back()) < kClose) {
            line.back() = at;
        } else {
            line.push_back(at);
        }
    }
    [[nodiscard]] Ring island(const Ring& ring, const std::vector<Crack>& steps) const {
        auto outline = closed_outline(fitted_edges(steps, tolerance_));
        return outline.size() < 3 ? ring : outline;
    }

    const ClassRaster& raster_;
    std::vector<Box> boxes_;  ///< of the buildings' rings
    double tolerance_;
    Detail detail_;
};

}  // namespace

Network network(const std::vector<Region>& roads, const ClassRaster& raster,
                const Polygons& buildings, double tolerance, Detail detail) {
    const double side = raster.side;
    Network lines{rings_of(buildings), {}};
    const RoadBorders borders(raster, lines.rings, tolerance, detail);
    lines.rings.push_back({{side, side}, {0, side}, {0, 0}, {side, 0}});
    for (const auto& road : roads) {
        borders.draw(road.shape.outer, lines);
        for (const auto& hole : road.shape.holes) borders.draw(hole, lines);
    }
    return lines;
}

Polygons faces(const Network& lines) {
    OGRMultiLineString rings, borders;
    for (const auto& ring : lines.rings) add_line(rings, closed(ring));
    for (const auto& line : lines.road_borders) add_line(borders, line);
    const GeometryPtr noded(rings.Union(&borders));
    if (!noded) throw Error("the lines of the tile could not be joined");
    const GeometryPtr cut(noded->Polygonize());
    if (!cut) throw Error("the lines of the tile bound no faces");
    auto all = polygons_of(cut.get());
    const double side = lines.rings.back().front().x;
    std::erase_if(all, [&](const OGRPolygon& face) { return outside(face, side); });
    return all;
}

}  // namespace civitas::vectorize
