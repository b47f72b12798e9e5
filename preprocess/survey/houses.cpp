#include "houses.hpp"

#include <algorithm>
#include <cmath>

namespace civitas::survey {
namespace {

constexpr double neighbour = 5.5;  ///< metres between the walls of free-standing houses

Point on(const Side& side, double along, double back) {
    return side.start + side.along * along + left_of(side.along) * back;
}

Ring plot(const Side& side, double along, double back, double width, double depth) {
    return rectangle(on(side, along, back), side.along, width, depth);
}

/// The rectangle without one of its rear corners.
OGRPolygon angled(const Side& side, double along, double back, double width, double depth) {
    const double w = 0.42 * width;
    const double d = 0.4 * depth;
    return polygon({on(side, along, back), on(side, along + width, back),
                    on(side, along + width, back + depth - d),
                    on(side, along + width - w, back + depth - d),
                    on(side, along + width - w, back + depth), on(side, along, back + depth)});
}

void add_house(const Side& side, double along, double back, double width, double depth, Dice& dice,
               Outlines& out) {
    const double kind = dice.between(0, 1);
    if (kind < 0.22 && width > 13) {  // a pair of houses
        out.push_back(polygon(plot(side, along, back, width / 2, depth)));
        out.push_back(polygon(plot(side, along + width / 2, back, width / 2, depth)));
    } else if (kind < 0.5) {
        out.push_back(angled(side, along, back, width, depth));
    } else if (kind < 0.75 && width > 14) {  // a house and its garage
        out.push_back(polygon(plot(side, along, back, width - 3.6, depth)));
        out.push_back(polygon(plot(side, along + width - 3.6, back, 3.6, 6.5)));
    } else {
        out.push_back(polygon(plot(side, along, back, width, depth)));
    }
}

}  // namespace

Outlines detached_houses(Lot& lot, Dice& dice) {
    Outlines out;
    const double grain = dice.between(0.92, 1.15);
    for (const Side& side : straight_sides(lot.ring())) {
        const double back = dice.between(4, 6.5);
        double along = dice.between(3, 6);
        while (along < side.length - 10) {
            const double width = grain * dice.between(11, 16.5);
            const double depth = grain * dice.between(9.5, 12.5);
            const double set = back + dice.between(0, 1.2);
            if (lot.take(plot(side, along, set, width, depth), 3, neighbour)) {
                add_house(side, along, set, width, depth, dice, out);
                along += width + dice.between(6, 9.5);
            } else {
                along += 3;
            }
        }
    }
    return out;
}

Outlines row_houses(Lot& lot, Dice& dice) {
    Outlines out;
    const double unit_width = dice.between(6, 7.8);
    const double depth = dice.between(10, 12);
    const double back = dice.between(3, 5);
    for (const Side& side : straight_sides(lot.ring())) {
        double along = 3;
        while (along < side.length - 3 * unit_width) {
            int count = std::min(dice.whole(4, 8),
                                 static_cast<int>((side.length - along - 2) / unit_width));
            while (count >= 3 &&
                   !lot.take(plot(side, along, back, count * unit_width, depth), 2.5, neighbour))
                --count;
            if (count < 3) {
                along += 4;
                continue;
            }
            for (int k = 0; k < count; ++k)
                out.push_back(polygon(plot(side, along + k * unit_width, back, unit_width, depth)));
            along += count * unit_width + dice.between(6, 9);
        }
    }
    return out;
}

Outlines slabs(Lot& lot, Dice& dice) {
    Outlines out;
    const Box& box = lot.box();
    const bool across = dice.chance(0.6);
    const Point axis = across ? left_of(box.along) : box.along;
    const Side frame{box.centre, axis, 0};
    const double reach = (across ? box.shorter : box.longer) / 2;
    const double span = (across ? box.longer : box.shorter) / 2;
    const double depth = dice.between(11.5, 14);
    const double pitch = depth + dice.between(15, 20);
    const double whole = std::min(dice.between(34, 56), 2 * reach - 10);
    if (whole < 20) return out;
    for (double row = -span + 5; row < span; row += pitch)
        for (double along = -reach + 5; along < reach - whole / 2; along += 3) {
            const Ring ground = plot(frame, along, row, whole, depth);
            if (!lot.take(ground, 4, 12)) continue;
            out.push_back(polygon(plot(frame, along, row, whole / 2, depth)));
            out.push_back(polygon(plot(frame, along + whole / 2, row, whole / 2, depth)));
        }
    return out;
}

Outlines halls(Lot& lot, Dice& dice) {
    Outlines out;
    const Box& box = lot.box();
    const Side frame{box.centre, box.along, 0};
    for (const double size : {1.0, 0.62, 0.36}) {
        const double width = size * dice.between(58, 84);
        const double depth = size * dice.between(38, 54);
        for (double back = -box.shorter / 2 + 6; back < box.shorter / 2 - depth; back += 6)
            for (double along = -box.longer / 2 + 6; along < box.longer / 2 - width; along += 6) {
                if (!lot.take(plot(frame, along, back, width, depth), 6, 13)) continue;
                if (dice.chance(0.35))
                    out.push_back(angled(frame, along, back, width, depth));
                else
                    out.push_back(polygon(plot(frame, along, back, width, depth)));
            }
    }
    return out;
}

}  // namespace civitas::survey
