#include "direction.hpp"

#include <complex>
#include <numbers>

namespace civitas::vectorize {
namespace {

constexpr double kSnap = 20 * std::numbers::pi / 180;

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

/// Area and moments about a point of the ring.
struct Moments {
    double area = 0, xx = 0, xy = 0, yy = 0;
    Point first;
};

Moments moments(const Ring& ring) {
    const Point origin = ring.front();
    Moments m;
    for (std::size_t i = 0; i < ring.size(); ++i) {  // triangles from the origin
        const Point a = ring[i] - origin, b = ring[(i + 1) % ring.size()] - origin;
        const double w = cross(a, b) / 2;
        m.area += w;
        m.first = m.first + (w / 3) * (a + b);
        m.xx += w / 6 * (a.x * a.x + a.x * b.x + b.x * b.x);
        m.yy += w / 6 * (a.y * a.y + a.y * b.y + b.y * b.y);
        m.xy += w / 12 * (2 * a.x * a.y + a.x * b.y + b.x * a.y + 2 * b.x * b.y);
    }
    return m;
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

double moment_direction(const Ring& ring) {
    const auto m = moments(ring);
    const Point centre = (1 / m.area) * m.first;
    const double xx = m.xx / m.area - centre.x * centre.x;
    const double yy = m.yy / m.area - centre.y * centre.y;
    const double xy = m.xy / m.area - centre.x * centre.y;
    return std::atan2(2 * xy, xx - yy) / 2;
}

Point centroid(const Ring& ring) {
    const auto m = moments(ring);
    return ring.front() + (1 / m.area) * m.first;
}

}  // namespace civitas::vectorize
