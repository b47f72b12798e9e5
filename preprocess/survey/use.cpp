#include "use.hpp"

#include <cmath>
#include <initializer_list>

namespace civitas::survey {
namespace {

struct Share {
    Use use;
    double share;
};

/// The first use whose shares reach the drawn number; the last one takes the rest.
Use drawn(std::initializer_list<Share> shares, Dice& dice) {
    double left = dice.between(0, 1);
    for (const Share& s : shares) {
        if (left < s.share) return s.use;
        left -= s.share;
    }
    return std::prev(shares.end())->use;
}

Use inner_use(const Site& site, const Point& p, Dice& dice) {
    const double kind = Noise(site.seed, "inner use", 550)(p);
    const Use usual = kind > 0.3 ? Use::slabs : kind < -0.2 ? Use::terraces : Use::rows;
    return drawn({{Use::park, 0.035}, {Use::school, 0.035}, {Use::halls, 0.02}, {usual, 1}}, dice);
}

Use country_use(const Site& site, const Point& p, Dice& dice) {
    if (Noise(site.seed, "woods", 1100)(p) > 0.12) return Use::forest;
    if (Noise(site.seed, "vines", 800)(p) > 0.5) return Use::vineyard;
    return drawn({{Use::farm, 0.12}, {Use::field, 1}}, dice);
}

}  // namespace

Use choose_use(const Site& site, Zone zone, const Ring& land, Dice& dice) {
    const Point p = centroid(land);
    const Box box = oriented_box(land);
    if (zone == Zone::country) return country_use(site, p, dice);
    if (box.shorter < 17 || signed_area(land) < 420) return Use::green;
    switch (zone) {
        case Zone::old_town:
            return drawn({{Use::square, 0.03}, {Use::church, 0.02}, {Use::terraces, 1}}, dice);
        case Zone::centre:
            return drawn({{Use::park, 0.04},
                          {Use::school, 0.03},
                          {Use::church, 0.01},
                          {Use::square, 0.015},
                          {Use::slabs, 0.04},
                          {Use::terraces, 1}},
                         dice);
        case Zone::inner: return inner_use(site, p, dice);
        case Zone::industry: return drawn({{Use::green, 0.05}, {Use::halls, 1}}, dice);
        default: break;
    }
    return drawn({{Use::park, 0.02},
                  {Use::school, 0.02},
                  {Use::green, 0.02},
                  {Use::slabs, 0.05},
                  {Use::rows, 0.16},
                  {Use::detached, 1}},
                 dice);
}

}  // namespace civitas::survey
