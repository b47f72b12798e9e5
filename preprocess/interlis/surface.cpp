#include "surface.hpp"

#include "civitas/base/error.hpp"
#include "transfer_file.hpp"

#include <utility>

namespace civitas::interlis {
namespace {

constexpr std::size_t fewest_points = 4;  // of a ring, the first again at its end

linework::Point point_of(const std::optional<double>& x, const std::optional<double>& y) {
    if (!x || !y) throw Error("a point of a surface lacks a coordinate");
    return {*x, *y};
}

bool is_ring(std::string_view element) { return element == "exterior" || element == "interior"; }

}  // namespace

void SurfaceBuilder::begin(std::string_view element) {
    if (element == "surface") {
        in_surface_ = true;
        surface_.empty();
    }
    if (is_ring(element)) ring_.clear();
    if (element == "coord" || element == "arc") numbers_ = {};
}

void SurfaceBuilder::end(std::string_view element, std::string_view held) {
    if (!in_surface_) return;
    if (element == "c1") numbers_.c1 = metres_in(held);
    if (element == "c2") numbers_.c2 = metres_in(held);
    if (element == "a1") numbers_.a1 = metres_in(held);
    if (element == "a2") numbers_.a2 = metres_in(held);
    if (element == "coord" || element == "arc") end_vertex(element == "arc");
    if (is_ring(element)) end_ring();
    if (element == "surface") {
        if (surface_.getNumInteriorRings() == 0 && surface_.IsEmpty() != 0)
            throw Error("a surface has no boundary");
        surfaces_.push_back(surface_);
        in_surface_ = false;
    }
}

void SurfaceBuilder::end_vertex(bool arc) {
    const auto end = point_of(numbers_.c1, numbers_.c2);
    if (!arc) {
        // Where a polyline goes on from another, the point between them stands in both.
        const bool again = !ring_.empty() && ring_.back().x == end.x && ring_.back().y == end.y;
        if (!again) ring_.push_back(end);
        return;
    }
    if (ring_.empty()) throw Error("an arc has no beginning");
    arcs_.add(ring_, point_of(numbers_.a1, numbers_.a2), end);
}

void SurfaceBuilder::end_ring() {
    if (ring_.size() < fewest_points)
        throw Error(
            text("a boundary has ", ring_.size(), " points, and a ring at least ", fewest_points));
    if (ring_.front().x != ring_.back().x || ring_.front().y != ring_.back().y)
        throw Error("a boundary does not close");
    auto ring = std::make_unique<OGRLinearRing>();
    for (const auto& p : ring_) ring->addPoint(p.x, p.y);
    surface_.addRingDirectly(ring.release());
}

std::vector<OGRPolygon> SurfaceBuilder::take() {
    arcs_taken_ = arcs_;
    return std::exchange(surfaces_, {});
}

void SurfaceBuilder::drop() {
    surfaces_.clear();
    arcs_ = arcs_taken_;
    in_surface_ = false;
}

}  // namespace civitas::interlis
