#include "site.hpp"

#include <cmath>
#include <numbers>

namespace civitas::survey {
namespace {

constexpr double pi = std::numbers::pi;

/// A line across the whole square, `offset` to the left of the centre, with sideways bends.
Line crossing(const Point& centre, double angle, double offset, double bend, Dice& dice) {
    const Point along = turned({1, 0}, angle);
    const double wave = dice.between(1700, 2600);
    const double phase = dice.between(0, 2 * pi);
    Line points;
    for (double s = -6000; s <= 6000; s += 400) {
        const double sideways =
            offset + bend * std::sin(s * 2 * pi / wave + phase) + dice.between(-0.2, 0.2) * bend;
        points.push_back(centre + along * s + left_of(along) * sideways);
    }
    return smooth(points, 8);
}

Ring ring_road(const Zoning& zoning, double metres, Dice& dice) {
    const int corners = std::max(9, static_cast<int>(metres / 60));
    Ring points;
    for (int k = 0; k < corners; ++k)
        points.push_back(
            zoning.at(2 * pi * k / corners, metres * (1 + dice.between(-0.035, 0.035))));
    return smooth_ring(points, 4);
}

/// Straight inside the old town, wandering further out.
Line radial(const Site& site, double angle, double from, Dice& dice) {
    const double old = site.zoning.old_radius();
    Line points{site.zoning.at(angle, from)};
    double heading = angle;
    for (double r = from < old ? old : old + 320; r < 5600; r += 320) {
        points.push_back(site.zoning.at(heading, r));
        heading += dice.between(-26, 26) / r;
    }
    return smooth(points, 6);
}

/// An open place in the middle of the old town.
Ring market(const Point& centre, Dice& dice) {
    const double w = dice.between(75, 105);
    const double d = dice.between(48, 62);
    const Point along = turned({1, 0}, dice.between(0, pi));
    const Ring plain = rectangle({0, 0}, along, w, d);
    const Point middle = centroid(plain);
    Ring out;
    for (const Point& p : plain) out.push_back(centre + (p - middle) * dice.between(0.85, 1.15));
    return out;
}

Ring lake(const Point& centre, double radius, Dice& dice) {
    Ring points;
    const double tilt = dice.between(0, pi);
    for (int k = 0; k < 14; ++k) {
        const double r = radius * dice.between(0.85, 1.12);
        const double a = 2 * pi * k / 14;
        points.push_back(centre + turned({1.25 * r * std::cos(a), 0.8 * r * std::sin(a)}, tilt));
    }
    return smooth_ring(points, 6);
}

void add_rings(Site& site) {
    Dice dice(site.seed, "ring roads");
    const double widths[] = {18, 16, 14, 13};
    const double r = site.zoning.radius();
    const double radii[] = {site.zoning.old_radius(), r * dice.between(0.38, 0.46),
                            r * dice.between(0.68, 0.76), 0.985 * r};
    for (int k = 0; k < 4; ++k) {
        site.rings.push_back(ring_road(site.zoning, radii[k], dice));
        Line closed = site.rings.back();
        closed.push_back(closed.front());
        site.streets.push_back({std::move(closed), widths[k]});
    }
}

void add_radials(Site& site) {
    Dice dice(site.seed, "radial roads");
    const int count = dice.whole(6, 9);
    const double start = dice.between(0, 2 * pi);
    for (int k = 0; k < count; ++k) {
        const double angle = start + 2 * pi * (k + dice.between(-0.22, 0.22)) / count;
        const bool to_market = k % 2 == 0;
        const double from = to_market ? 15 : site.zoning.old_radius();
        site.streets.push_back({radial(site, angle, from, dice), to_market ? 14.0 : 16.0});
    }
}

/// What a part of the town is in this style.
Zone built_zone(Style style, Zone mixed) {
    switch (style) {
        case Style::mixed: return mixed;
        case Style::perimeter: return Zone::centre;
        case Style::suburb: return Zone::outer;
        case Style::industry: return Zone::industry;
        case Style::old_town: return Zone::old_town;
    }
    return mixed;
}

}  // namespace

Zoning::Zoning(Seed seed)
    : edge_(seed, "edge", 900), mix_(seed, "mix", 700), works_(seed, "works", 1300) {
    Dice dice(seed, "zoning");
    centre_ = {survey_side * dice.between(0.47, 0.53), survey_side * dice.between(0.47, 0.53)};
    radius_ = dice.between(2850, 3000);
    old_radius_ = dice.between(300, 400);
    stretch_ = dice.between(1.0, 1.14);
    tilt_ = dice.between(0, pi);
}

Point Zoning::at(double angle, double metres) const {
    const Point p{metres * stretch_ * std::cos(angle), metres / stretch_ * std::sin(angle)};
    return centre_ + turned(p, tilt_);
}

double Zoning::metres(const Point& p) const {
    const Point q = turned(p - centre_, -tilt_);
    return length({q.x / stretch_, q.y * stretch_});
}

double Zoning::outwardness(const Point& p) const { return metres(p) / radius_ + 0.06 * edge_(p); }

Zone Zoning::zone(const Point& p, double metres_to_rail) const {
    const double out = outwardness(p);
    const double mix = mix_(p);
    if (metres(p) < old_radius_) return Zone::old_town;
    if (out < 0.38 + 0.08 * mix) return Zone::centre;
    if (out > 1) return Zone::country;
    if (metres_to_rail < 380 && works_(p) > 0.05) return Zone::industry;
    if (out < 0.6 + 0.2 * mix || mix > 0.62) return Zone::inner;
    return Zone::outer;
}

Zone Site::zone(const Point& p) const {
    const Zone zone = zoning.zone(p, distance(p, rail));
    return zone == Zone::country ? zone : built_zone(style, zone);
}

Site make_site(const TownChoice& choice) {
    const Seed seed = choice.seed;
    Site site{seed, choice.style, Zoning(seed), {}, 0, {}, {}, {}, {}, {}};
    Dice dice(seed, "site");
    const double valley = dice.between(0, 2 * pi);
    const Point centre = site.zoning.centre();
    const double bank = dice.between(120, 560);
    site.river = crossing(centre, valley, bank, dice.between(120, 230), dice);
    site.river_width = dice.between(32, 70);
    site.rail = crossing(centre, valley + dice.between(-0.35, 0.35), -dice.between(620, 900),
                         dice.between(20, 60), dice);
    if (dice.chance(0.6)) {
        const Point along = turned({1, 0}, valley);
        const Point mouth = centre + along * dice.between(2350, 2700) + left_of(along) * bank;
        site.lakes.push_back(lake(mouth, dice.between(650, 900), dice));
    }
    site.market = market(centre, dice);
    add_rings(site);
    add_radials(site);
    return site;
}

}  // namespace civitas::survey
