#include "houses.hpp"

#include <array>

namespace civitas::survey {
namespace {

/// An outline in its own axes, laid on the ground and turned.
Ring laid(const Ring& outline, const Point& origin, const Point& along) {
    Ring out;
    for (const Point& p : outline) out.push_back(origin + along * p.x + left_of(along) * p.y);
    return out;
}

/// The first place found for an outline `width` by `depth` near the middle of the lot.
bool lay(Lot& lot, const Ring& outline, double width, double depth, double margin, Outlines& out) {
    const Box box = lot.box();
    constexpr std::array<double, 5> shifts{0, -0.12, 0.12, -0.24, 0.24};
    for (const double v : shifts)
        for (const double u : shifts) {
            const Point origin = box.centre + box.along * (u * box.longer - width / 2) +
                                 left_of(box.along) * (v * box.shorter - depth / 2);
            if (!lot.take(rectangle(origin, box.along, width, depth), margin, 8)) continue;
            out.push_back(polygon(laid(outline, origin, box.along)));
            return true;
        }
    return false;
}

}  // namespace

Outlines school(Lot& lot, Dice& dice) {
    Outlines out;
    for (const double size : {1.0, 0.75, 0.55}) {
        const double w = size * dice.between(58, 76);
        const double d = size * dice.between(36, 46);
        const double wing = size * 16;
        const Ring u{{0, 0},           {w, 0},       {w, d},          {w - wing, d},
                     {w - wing, wing}, {wing, wing}, {wing, 0.8 * d}, {0, 0.8 * d}};
        if (lay(lot, u, w, d, 5, out)) break;
    }
    const double gym = dice.between(20, 26);
    (void)lay(lot, {{0, 0}, {gym, 0}, {gym, 17}, {0, 17}}, gym, 17, 5, out);
    return out;
}

Outlines church(Lot& lot, Dice& dice) {
    Outlines out;
    const double n = dice.between(12, 15);  // width of the nave
    const double l = dice.between(34, 42);
    const double a = l * 0.62;
    const Ring cross{{0, 6},
                     {a, 6},
                     {a, 0},
                     {a + n * 0.7, 0},
                     {a + n * 0.7, 6},
                     {l - 4, 6},
                     {l, 10},
                     {l, n + 2},
                     {l - 4, n + 6},
                     {a + n * 0.7, n + 6},
                     {a + n * 0.7, n + 12},
                     {a, n + 12},
                     {a, n + 6},
                     {0, n + 6}};
    (void)lay(lot, cross, l, n + 12, 2, out);
    return out;
}

Outlines farm(Lot& lot, Dice& dice) {
    Outlines out;
    const int count = dice.whole(2, 4);
    for (int k = 0; k < count; ++k) {
        const double w = dice.between(14, 32);
        const double d = dice.between(11, 17);
        (void)lay(lot, {{0, 0}, {w, 0}, {w, d}, {0, d}}, w, d, 12, out);
    }
    return out;
}

Outlines courtyard_buildings(Lot& lot, Dice& dice) {
    Outlines out;
    const int count = dice.whole(0, 2);
    for (int k = 0; k < count; ++k) {
        const double w = dice.between(9, 18);
        const double d = dice.between(6, 9);
        (void)lay(lot, {{0, 0}, {w, 0}, {w, d}, {0, d}}, w, d, 4, out);
    }
    return out;
}

}  // namespace civitas::survey
