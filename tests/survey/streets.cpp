#include "preprocess/survey/town.hpp"

#include <ogr_api.h>
#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

using namespace civitas;
using namespace civitas::survey;

namespace {

constexpr double half = least_street / 2 - 0.05;

const Town& town() {
    static const Town made = make_town({Seed{1}});
    return made;
}

/// Street, sidewalk and island as one.
const OGRGeometry& street_land() {
    static const Shape made = [] {
        std::vector<OGRPolygon> parts;
        for (const Feature& feature : town().features)
            if (feature.art == Art::street || feature.art == Art::sidewalk ||
                feature.art == Art::island)
                parts.push_back(feature.land);
        return together(parts);
    }();
    return *made;
}

const OGRGeometry& eroded() {
    static const Shape made(street_land().Buffer(-half, 8));
    return *made;
}

double area_of(const OGRGeometry& land) {
    double sum = 0;
    for (const OGRPolygon& part : polygons(land)) sum += part.get_Area();
    return sum;
}

bool contains(const OGRPreparedGeometry& land, const Point& p) {
    OGRPoint point(p.x, p.y);
    return OGRPreparedGeometryContains(const_cast<OGRPreparedGeometry*>(&land),
                                       OGRGeometry::ToHandle(&point)) != 0;
}

/// Main roads end at the lake, at the market place and at the border of the square.
bool at_an_end(const Point& p) {
    static const Site site = make_site({Seed{1}});
    for (const Ring& lake : site.lakes)
        if (distance_to_ring(p, lake) < 8) return true;
    return distance_to_ring(p, site.market) < 8 ||
           distance_to_ring(
               p, {{0, 0}, {survey_side, 0}, {survey_side, survey_side}, {0, survey_side}}) < 8;
}

struct Walk {
    int steps = 0;
    int narrow = 0;
};

/// A point every 5 m; the last steps of a street lie in the one it ends at.
Walk walked(const Street& street, const OGRPreparedGeometry& wide,
            const OGRPreparedGeometry& land) {
    Walk walk;
    for (std::size_t i = 1; i < street.centre.size(); ++i) {
        const Point& a = street.centre[i - 1];
        const Point edge = street.centre[i] - a;
        for (double s = 0; s < length(edge); s += 5) {
            const Point p = a + unit(edge) * s;
            if (!contains(land, p) || at_an_end(p)) continue;
            if (std::min(length(p - street.centre.front()), length(p - street.centre.back())) < 15)
                continue;
            ++walk.steps;
            walk.narrow += contains(wide, p) ? 0 : 1;
        }
    }
    return walk;
}

}  // namespace

TEST_CASE("every street is at least 8 m wide along its centre line") {
    const OGRPreparedGeometryUniquePtr wide(
        OGRCreatePreparedGeometry(OGRGeometry::ToHandle(const_cast<OGRGeometry*>(&eroded()))));
    const OGRPreparedGeometryUniquePtr land(
        OGRCreatePreparedGeometry(OGRGeometry::ToHandle(const_cast<OGRGeometry*>(&street_land()))));
    Walk all;
    for (const Street& street : town().streets) {
        CHECK(street.width >= least_street);
        const Walk walk = walked(street, *wide, *land);
        all.steps += walk.steps;
        all.narrow += walk.narrow;
    }
    CHECK(all.steps > 20000);
    CHECK(all.narrow == 0);
}

TEST_CASE("no part of the street land is a narrow lane") {
    // What a disc of 8 m cannot reach are the corners between edges, never a passage.
    const Shape reached(eroded().Buffer(half + 0.001, 16));
    const Shape rest = difference(street_land(), *reached);
    double largest = 0;
    double total = 0;
    for (const OGRPolygon& crumb : polygons(*rest)) {
        total += crumb.get_Area();
        largest = std::max(largest, crumb.get_Area());
    }
    CHECK(largest <
          60);  // the tip where two streets meet at 20 degrees; a lane of 4 m would be more
    CHECK(total < 5e-4 * area_of(street_land()));
}
