#include "blocks.hpp"

#include <algorithm>
#include <cmath>

namespace civitas::survey {
namespace {

/// What a block measures at most, about: a longer one is divided.
struct Measure {
    double longer;
    double shorter;
};

Measure measure(Zone zone) {
    switch (zone) {
        case Zone::old_town: return {86, 56};
        case Zone::centre: return {105, 72};
        case Zone::inner: return {140, 66};
        case Zone::outer: return {150, 58};
        case Zone::industry: return {210, 130};
        case Zone::country: break;
    }
    return {420, 260};
}

/// A large face takes the zone of its most urban part, so that its streets suit what follows.
Zone zone_of(const Site& site, const OGRPolygon& land, const Box& box) {
    const Ring ring = outer_ring(land);
    Zone zone = site.zone(centroid(ring));
    if (box.longer < 500) return zone;
    for (const Point& p : ring) zone = std::min(zone, site.zone(p));
    return zone == Zone::old_town ? Zone::centre : zone;
}

double street_width(Zone zone, const Box& box, Dice& dice) {
    if (zone == Zone::old_town) return least_street + dice.between(0, 0.8);
    if (box.longer > 800) return dice.between(12, 13.5);
    if (box.longer > 380) return dice.between(9.5, 11);
    return dice.between(least_street, 9.2);
}

/// A slightly bent line through the box near its middle, across its long side or along it.
Line cut_line(const Box& box, bool across, double skew, Dice& dice) {
    const Point axis = across ? left_of(box.along) : box.along;
    const Point sideways = left_of(axis);
    const double reach = (across ? box.shorter : box.longer) / 2;
    const double span = across ? box.longer : box.shorter;
    const Point heading = turned(axis, dice.between(-skew, skew));
    const Point middle = box.centre + sideways * (dice.between(-0.1, 0.1) * span);
    const double sag = reach > 70 ? dice.between(-0.09, 0.09) * reach : 0;
    Line line;
    for (int k = -4; k <= 4; ++k) {
        const double s = 1.35 * k / 4;
        line.push_back(middle + heading * (s * reach + 3.0 * k) + sideways * (sag * (1 - s * s)));
    }
    return sag == 0 ? Line{line.front(), line.back()} : line;
}

/// One side of a line that crosses the whole face.
OGRPolygon half_plane(const Line& line) {
    Ring ring = line;
    const Point along = unit(line.back() - line.front());
    const Point far = left_of(along) * 3000;
    ring.insert(ring.begin(), line.front() - along * 3000);
    ring.push_back(line.back() + along * 3000);
    ring.push_back(ring.back() + far);
    ring.push_back(ring.front() + far);
    return polygon(ring);
}

class Divider {
public:
    Divider(const Site& site, Dice dice) : site_(site), dice_(dice) {}

    void divide(const OGRPolygon& face, bool sidewalks, int depth) {
        const Box box = oriented_box(outer_ring(face));
        const Zone zone = zone_of(site_, face, box);
        const Measure most = measure(zone);
        const double long_parts = box.longer / most.longer;
        const double short_parts = box.shorter / most.shorter;
        if (depth > 16 || std::max(long_parts, short_parts) < 1.4) {
            out_.blocks.push_back({face, zone, sidewalks});
            return;
        }
        const Line line =
            cut_line(box, long_parts >= short_parts, zone == Zone::country ? 0.3 : 0.08, dice_);
        const bool boundary_only =
            zone == Zone::country && !sidewalks && box.longer < 900 && dice_.chance(0.6);
        if (boundary_only)
            part(face, line, sidewalks, depth);
        else
            build_street(face, line, {sidewalks, depth}, street_width(zone, box, dice_));
    }

    Division take() { return std::move(out_); }

private:
    struct Cut {
        bool sidewalks;
        int depth;
    };

    void part(const OGRPolygon& face, const Line& line, bool sidewalks, int depth) {
        const OGRPolygon half = half_plane(line);
        for (const Shape& rest : {difference(face, half), intersection(face, half)})
            for (const OGRPolygon& child : polygons(*rest)) divide(child, sidewalks, depth + 1);
    }

    void build_street(const OGRPolygon& face, const Line& line, const Cut& cut, double width) {
        const double half = width / 2 - (cut.sidewalks ? sidewalk_width : 0);
        const Shape rest = difference(face, *strip(line, half));
        OGRLineString centre;
        for (const Point& p : line) centre.addPoint(p.x, p.y);
        for (Line& inner : lines(*intersection(centre, face)))
            out_.streets.push_back({std::move(inner), width});
        for (const OGRPolygon& child : polygons(*rest))
            if (child.get_Area() > 80) divide(child, cut.sidewalks, cut.depth + 1);
    }

    const Site& site_;
    Dice dice_;
    Division out_;
};

}  // namespace

Division divide(const Site& site, const OGRPolygon& quarter, Dice dice) {
    Divider divider(site, dice);
    // The outermost ring is a road, so a quarter lies on one side of it with all its corners.
    const bool in_town = inside(outer_ring(quarter).front(), site.rings.back());
    divider.divide(quarter, in_town, 0);
    return divider.take();
}

}  // namespace civitas::survey
