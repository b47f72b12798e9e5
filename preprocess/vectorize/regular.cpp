#include "regular.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <numbers>

namespace civitas::vectorize {
namespace {

constexpr double kSnap = 20 * std::numbers::pi / 180;
constexpr double kShortEdge = 0.8;  // pixels; shorter ones are stairs
constexpr double kChamfer = 3;      // pixels
constexpr double kOffset = 1;       // pixels between parallel edges that are one

/// Angle from the direction to the edge, modulo a quarter turn, in -45..45 degrees.
double off_axis(const Edge& edge, double direction) {
    const double angle = std::atan2(edge.line.direction.y, edge.line.direction.x) - direction;
    const double quarter = std::numbers::pi / 2;
    return angle - quarter * std::round(angle / quarter);
}

std::complex<double> fourfold(const Edge& edge) {
    const auto d = std::complex(edge.line.direction.x, edge.line.direction.y);
    return edge.length * edge.length * std::pow(d, 4);
}

double reach_of_snap(const Edge& edge, double doubt) {
    return std::max(kSnap, std::atan2(doubt, std::max(edge.length - 1, 0.5)));
}

void snap(Edge& edge, double direction, double doubt) {
    if (edge.fixed || std::abs(off_axis(edge, direction)) > reach_of_snap(edge, doubt)) return;
    const Point along{std::cos(direction), std::sin(direction)};
    const Point across = turned_left(along);
    const double a = dot(edge.line.direction, along), b = dot(edge.line.direction, across);
    edge.axis = std::abs(a) >= std::abs(b) ? 0 : 1;
    edge.line.direction = edge.axis == 0 ? (a < 0 ? -1 : 1) * along : (b < 0 ? -1 : 1) * across;
}

bool same_way(const Edge& a, const Edge& b) {
    return a.axis >= 0 && a.axis == b.axis && dot(a.line.direction, b.line.direction) > 0;
}

double offset(const Edge& a, const Edge& b) {
    return std::abs(cross(a.line.direction, b.line.centre - a.line.centre));
}

/// The two as one, at the mean place weighted by length.
Edge joined(const Edge& a, const Edge& b) {
    Edge whole = a;
    const double total = a.length + b.length;
    whole.line.centre = (1 / total) * (a.length * a.line.centre + b.length * b.line.centre);
    whole.length = total;
    return whole;
}

bool join_one(std::vector<Edge>& edges, double reach) {
    for (std::size_t i = 0; i < edges.size() && edges.size() > 3; ++i) {
        const std::size_t next = (i + 1) % edges.size();
        if (!same_way(edges[i], edges[next]) || offset(edges[i], edges[next]) > reach) continue;
        edges[i] = joined(edges[i], edges[next]);
        edges.erase(edges.begin() + static_cast<std::ptrdiff_t>(next));
        return true;
    }
    return false;
}

bool is_chamfer(const std::vector<Edge>& edges, std::size_t i) {
    const auto& before = edges[(i + edges.size() - 1) % edges.size()];
    const auto& after = edges[(i + 1) % edges.size()];
    return edges[i].axis < 0 && !edges[i].fixed && edges[i].length < kChamfer && before.axis >= 0 &&
           after.axis >= 0 && before.axis != after.axis;
}

/// How far an edge runs between the corners it has with its neighbours; negative: backwards.
double run(const std::vector<Edge>& edges, std::size_t i) {
    const std::size_t n = edges.size();
    const Point from = corner(edges[(i + n - 1) % n], edges[i]).back();
    const Point to = corner(edges[i], edges[(i + 1) % n]).front();
    return dot(to - from, edges[i].line.direction);
}

void remove(std::vector<Edge>& edges, std::size_t i) {
    const std::size_t next = (i + 1) % edges.size();
    edges[next].start = 0.5 * (edges[i].start + edges[next].start);
    edges.erase(edges.begin() + static_cast<std::ptrdiff_t>(i));
}

bool remove_one(std::vector<Edge>& edges) {
    for (std::size_t i = 0; i < edges.size() && edges.size() > 4; ++i) {
        if (edges[i].fixed || !(is_chamfer(edges, i) || run(edges, i) < kShortEdge)) continue;
        remove(edges, i);
        return true;
    }
    return false;
}

}  // namespace

std::optional<double> main_direction(const std::vector<Edge>& edges) {
    std::complex<double> sum = 0;
    for (const auto& edge : edges) {
        if (!edge.fixed) sum += fourfold(edge);
    }
    if (std::abs(sum) == 0) return std::nullopt;
    const double first = std::arg(sum) / 4;
    std::complex<double> close = 0;  // again, without the edges that follow another direction
    for (const auto& edge : edges) {
        if (!edge.fixed && std::abs(off_axis(edge, first)) < kSnap) close += fourfold(edge);
    }
    return std::abs(close) == 0 ? first : std::arg(close) / 4;
}

std::vector<Edge> squared(std::vector<Edge> edges, double direction, double doubt) {
    for (auto& edge : edges) snap(edge, direction, doubt);
    while (join_one(edges, kOffset) || remove_one(edges)) {
    }
    return edges;
}

std::optional<Ring> rectangle(const std::vector<Crack>& cracks, double direction,
                              double tolerance) {
    const Point u{std::cos(direction), std::sin(direction)}, v = turned_left(u);
    const std::array<Point, 4> outward{u, v, -1 * u, -1 * v};
    std::array<double, 4> reach{-1e30, -1e30, -1e30, -1e30};
    for (const auto& c : cracks) {
        for (std::size_t s = 0; s < 4; ++s)
            reach[s] = std::max(reach[s], dot(outward[s], c.middle));
    }
    for (int round = 0; round < 2; ++round) {  // each side at the mean of the points nearest to it
        std::array<double, 4> sum{}, count{};
        for (const auto& c : cracks) {
            std::array<double, 4> gap{};
            for (std::size_t s = 0; s < 4; ++s)
                gap[s] = std::abs(reach[s] - dot(outward[s], c.middle));
            const auto s =
                static_cast<std::size_t>(std::min_element(gap.begin(), gap.end()) - gap.begin());
            if (gap[s] > tolerance) return std::nullopt;
            if (gap[(s + 1) % 4] < 1 || gap[(s + 3) % 4] < 1) continue;  // cuts a corner
            sum[s] += dot(outward[s], c.middle), count[s] += 1;
        }
        for (std::size_t s = 0; s < 4; ++s) {
            if (count[s] > 0) reach[s] = sum[s] / count[s];
        }
    }
    if (reach[0] + reach[2] < 0.5 || reach[1] + reach[3] < 0.5) return std::nullopt;
    return Ring{reach[0] * u - reach[3] * v, reach[0] * u + reach[1] * v,
                reach[1] * v - reach[2] * u, -1 * (reach[2] * u) - reach[3] * v};
}

Ring moment_rectangle(const Ring& ring, double direction) {
    constexpr double kElongated = 1.4;
    const Point origin = ring.front();
    double twice = 0, xx = 0, xy = 0, yy = 0;
    Point first;
    for (std::size_t i = 0; i < ring.size(); ++i) {  // triangles from the origin
        const Point a = ring[i] - origin, b = ring[(i + 1) % ring.size()] - origin;
        const double w = cross(a, b);
        twice += w;
        first = first + (w / 3) * (a + b);
        xx += w / 6 * (a.x * a.x + a.x * b.x + b.x * b.x);
        yy += w / 6 * (a.y * a.y + a.y * b.y + b.y * b.y);
        xy += w / 12 * (2 * a.x * a.y + a.x * b.y + b.x * a.y + 2 * b.x * b.y);
    }
    const Point centre = (1 / twice) * first;
    xx = xx / twice - centre.x * centre.x;
    yy = yy / twice - centre.y * centre.y;
    xy = xy / twice - centre.x * centre.y;
    const double half = std::hypot((xx - yy) / 2, xy), mean = (xx + yy) / 2;
    const double elongation = std::sqrt((mean + half) / std::max(mean - half, 1e-9));
    const double angle = elongation > kElongated ? std::atan2(2 * xy, xx - yy) / 2 : direction;
    const Point u{std::cos(angle), std::sin(angle)}, v = turned_left(u);
    const double along = u.x * u.x * xx + 2 * u.x * u.y * xy + u.y * u.y * yy;
    const double ratio = std::sqrt(along / std::max(2 * mean - along, 1e-9));
    const double length_u = std::sqrt(std::abs(twice) / 2 * ratio), length_v = length_u / ratio;
    const Point a = (length_u / 2) * u, b = (length_v / 2) * v, c = origin + centre;
    return {c - a - b, c + a - b, c + a + b, c - a + b};
}

}  // namespace civitas::vectorize
