#include "outline.hpp"

#include <algorithm>

namespace civitas::vectorize {
namespace {

constexpr double kLeastSine = 0.2;  // about 11 degrees: flatter crossings lie anywhere
constexpr double kReach = 2.5;      // pixels from the pixel corner to the crossing of the lines

double deviation(const std::vector<Point>& points, std::size_t first, std::size_t last,
                 std::size_t& worst) {
    const std::size_t n = points.size();
    double most = 0;
    for (std::size_t i = first + 1; i < last; ++i) {
        const Point p = points[i % n];
        const double d = distance(p, nearest_on_segment(p, points[first % n], points[last % n]));
        if (d > most) most = d, worst = i;
    }
    return most;
}

/// Keeps points of first..last (numbers may wrap around), without first.
void keep(const std::vector<Point>& points, std::size_t first, std::size_t last, double tolerance,
          std::vector<std::size_t>& kept) {
    std::size_t worst = first;
    if (deviation(points, first, last, worst) > tolerance) {
        keep(points, first, worst, tolerance, kept);
        keep(points, worst, last, tolerance, kept);
    } else {
        kept.push_back(last);
    }
}

std::size_t farthest(const std::vector<Point>& points, Point from) {
    const auto closer = [&](Point a, Point b) { return distance(a, from) < distance(b, from); };
    return static_cast<std::size_t>(std::max_element(points.begin(), points.end(), closer) -
                                    points.begin());
}

Point mean(const std::vector<Point>& points, std::size_t first, std::size_t last) {
    Point sum;
    for (std::size_t i = first; i <= last; ++i) sum = sum + points[i % points.size()];
    return (1.0 / static_cast<double>(last - first + 1)) * sum;
}

/// Total least squares through points first..last. The two at the ends also belong to the
/// neighbouring edges and cut the corners, so long runs do without them.
Edge fitted(const std::vector<Point>& points, std::size_t first, std::size_t last) {
    const std::size_t n = points.size();
    const Point from = points[first % n], to = points[last % n];
    Edge edge{{}, distance(from, to), from, false, -1};
    if (last - first >= 5) ++first, --last;
    const Point centre = mean(points, first, last);
    double xx = 0, xy = 0, yy = 0;
    for (std::size_t i = first; i <= last; ++i) {
        const Point d = points[i % n] - centre;
        xx += d.x * d.x, xy += d.x * d.y, yy += d.y * d.y;
    }
    const double angle = std::atan2(2 * xy, xx - yy) / 2;
    Point direction{std::cos(angle), std::sin(angle)};
    if (dot(direction, to - from) < 0) direction = -1 * direction;
    edge.line = {centre, direction};
    return edge;
}

std::vector<Edge> border_edges(const std::vector<Crack>& cracks) {
    std::vector<Edge> edges;
    const auto step = [&](std::size_t i) { return cracks[i].middle - cracks[i].from; };
    for (std::size_t i = 0; i < cracks.size(); ++i) {
        if (i > 0 && step(i) == step(i - 1)) {
            edges.back().length += 1;
        } else {
            edges.push_back({{cracks[i].middle, unit(step(i))}, 1, cracks[i].from, true, -1});
        }
    }
    return edges;
}

std::vector<Point> middles(const std::vector<Crack>& cracks) {
    std::vector<Point> points;
    for (const Crack& crack : cracks) points.push_back(crack.middle);
    return points;
}

std::vector<Edge> edges_of_island(const std::vector<Crack>& ring, double tolerance) {
    const auto points = middles(ring);
    const auto kept = simplified_closed(points, tolerance);
    std::vector<Edge> edges;
    for (std::size_t k = 0; k < kept.size(); ++k) {
        const std::size_t next = k + 1 < kept.size() ? kept[k + 1] : kept[0] + points.size();
        edges.push_back(fitted(points, kept[k], next));
    }
    return edges;
}

}  // namespace

std::vector<RingPart> parts_at_border(std::vector<Crack> ring) {
    const auto turns = std::adjacent_find(
        ring.begin(), ring.end(), [](auto& a, auto& b) { return on_border(a) != on_border(b); });
    if (turns != ring.end()) std::rotate(ring.begin(), turns + 1, ring.end());
    std::vector<RingPart> parts;
    for (auto first = ring.begin(); first != ring.end();) {
        const bool border = on_border(*first);
        const auto last =
            std::find_if(first, ring.end(), [&](const Crack& c) { return on_border(c) != border; });
        parts.push_back({{first, last}, border});
        first = last;
    }
    return parts;
}

std::vector<Crack> cracks(const Ring& ring, const ClassRaster& raster, std::uint8_t own) {
    std::vector<Crack> all;
    for (std::size_t i = 0; i < ring.size(); ++i) {
        const Point to = ring[(i + 1) % ring.size()];
        const Point step = unit(to - ring[i]);
        const int count = static_cast<int>(std::lround(distance(ring[i], to)));
        for (int k = 0; k < count; ++k) {
            const Point from = ring[i] + k * step;
            const Point middle = from + 0.5 * step;
            const auto left = raster.at(middle + 0.5 * turned_left(step));
            const auto right = raster.at(middle - 0.5 * turned_left(step));
            all.push_back({from, middle, left == own ? right : left});
        }
    }
    return all;
}

std::vector<std::size_t> simplified(const std::vector<Point>& points, double tolerance) {
    std::vector<std::size_t> kept{0};
    if (points.size() > 1) keep(points, 0, points.size() - 1, tolerance, kept);
    return kept;
}

std::vector<std::size_t> simplified_closed(const std::vector<Point>& points, double tolerance) {
    const std::size_t n = points.size();
    const std::size_t a = farthest(points, mean(points, 0, n - 1));
    std::size_t b = farthest(points, points[a]);
    if (b < a) b += n;
    std::vector<std::size_t> kept;
    keep(points, a, b, tolerance, kept);
    keep(points, b, a + n, tolerance, kept);
    // The two anchors may lie in the middle of an edge.
    for (std::size_t k = 0; k < kept.size() && kept.size() > 3;) {
        const std::size_t before = k > 0 ? kept[k - 1] : kept.back() - n;
        const std::size_t after = k + 1 < kept.size() ? kept[k + 1] : kept[0] + n;
        std::size_t worst = 0;
        const bool anchor = kept[k] % n == a % n || kept[k] % n == b % n;
        if (anchor && deviation(points, before + n, after + n, worst) <= tolerance) {
            kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(k));
        } else {
            ++k;
        }
    }
    for (auto& k : kept) k %= n;
    std::sort(kept.begin(), kept.end());
    return kept;
}

std::vector<Point> smoothed(std::vector<Point> points, long rounds) {
    for (long round = 0; round < rounds; ++round) {
        Point before = points.front();
        for (std::size_t i = 1; i + 1 < points.size(); ++i) {
            const Point here = points[i];
            points[i] = 0.25 * before + 0.5 * here + 0.25 * points[i + 1];
            before = here;
        }
    }
    return points;
}

std::vector<Edge> fitted_edges(const std::vector<Point>& points, Point start, double tolerance) {
    std::vector<Edge> edges;
    const auto kept = simplified(points, tolerance);
    for (std::size_t k = 0; k + 1 < kept.size(); ++k) {
        edges.push_back(fitted(points, kept[k], kept[k + 1]));
    }
    if (!edges.empty()) edges.front().start = start;
    return edges;
}

std::vector<Edge> fitted_edges(const std::vector<Crack>& ring, double tolerance) {
    const auto parts = parts_at_border(ring);
    std::vector<Edge> edges;
    for (const RingPart& part : parts) {
        const auto run = part.on_border      ? border_edges(part.cracks)
                         : parts.size() == 1 ? edges_of_island(ring, tolerance)
                                             : fitted_edges(middles(part.cracks),
                                                            part.cracks.front().from, tolerance);
        edges.insert(edges.end(), run.begin(), run.end());
    }
    return edges;
}

std::vector<Point> corner(const Edge& a, const Edge& b) {
    const auto meet = crossing(a.line, b.line, kLeastSine);
    const bool square = a.axis >= 0 && b.axis >= 0 && a.axis != b.axis;
    if (meet && (square || distance(*meet, b.start) <= kReach)) return {*meet};
    const Point on_a = projected(b.start, a.line), on_b = projected(b.start, b.line);
    const bool one_line = a.axis >= 0 && a.axis == b.axis;
    if (!one_line && distance(on_a, on_b) < 1) {
        if (a.fixed) return {on_a};
        if (b.fixed) return {on_b};
        return {0.5 * (on_a + on_b)};
    }
    return {on_a, on_b};
}

Ring tidied(const Ring& ring, double closeness) {
    Ring tidy = ring;
    for (std::size_t i = 0; i < tidy.size() && tidy.size() > 3;) {
        const std::size_t n = tidy.size();
        const Point before = tidy[(i + n - 1) % n], after = tidy[(i + 1) % n];
        const bool straight =
            distance(tidy[i], nearest_on_segment(tidy[i], before, after)) < closeness;
        if (straight || distance(tidy[i], after) < closeness) {
            tidy.erase(tidy.begin() + static_cast<std::ptrdiff_t>(i));
            i = i > 0 ? i - 1 : 0;
        } else {
            ++i;
        }
    }
    return tidy;
}

Ring closed_outline(const std::vector<Edge>& edges) {
    Ring ring;
    for (std::size_t i = 0; i < edges.size(); ++i) {
        const auto& before = edges[(i + edges.size() - 1) % edges.size()];
        for (const Point p : corner(before, edges[i])) ring.push_back(p);
    }
    return tidied(ring, 0.05);
}

}  // namespace civitas::vectorize
