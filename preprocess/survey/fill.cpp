#include "fill.hpp"

#include "conform.hpp"
#include "frontage.hpp"
#include "houses.hpp"
#include "use.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace civitas::survey {
namespace {

Ring blob(const Point& centre, double radius, Dice& dice) {
    Ring corners;
    for (int k = 0; k < 7; ++k) {
        const double a = 2 * std::numbers::pi * k / 7;
        corners.push_back(centre + turned({radius * dice.between(0.6, 0.95), 0}, a));
    }
    return smooth_ring(corners, 3);
}

void add(Art art, const OGRGeometry& shape, std::vector<Feature>& out) {
    for (const OGRPolygon& part : polygons(shape)) out.push_back({art, part});
}

double area(const OGRGeometry& shape) {
    double total = 0;
    for (const OGRPolygon& part : polygons(shape)) total += part.get_Area();
    return total;
}

/// Whether houses lie on the land without crossing: at corners of odd shapes they can.
bool sound(const Outlines& houses, const OGRPolygon& land) {
    if (!std::all_of(houses.begin(), houses.end(), valid)) return false;
    double sum = 0;
    for (const OGRPolygon& house : houses) sum += house.get_Area();
    const Shape all = together(houses);
    return std::abs(area(*all) - sum) < 1e-6 * sum && area(*difference(*all, land)) < 1e-6 * sum;
}

/// Builds one block; what it places keeps clear of what it placed before.
class Builder {
public:
    Builder(const OGRPolygon& land, Zone zone, Dice& dice)
        : land_(land), zone_(zone), dice_(dice), lot_(outer_ring(land_)) {}

    std::vector<Feature> build(Use use) {
        furnish(use);
        const Outlines outlines = joined(buildings(use));
        std::vector<Feature> out;
        for (const OGRPolygon& outline : outlines) out.push_back({Art::building, outline});
        Shape rest = difference(land_, outlines);
        for (const Feature& inlay : inlays_) {
            rest = difference(*rest, inlay.land);
            out.push_back(inlay);
        }
        add(ground(use), *rest, out);
        return out;
    }

private:
    Outlines joined(const Outlines& outlines) {
        std::vector<const OGRPolygon*> lands{&land_};
        for (const OGRPolygon& outline : outlines) lands.push_back(&outline);
        std::vector<OGRPolygon> out = conform(lands);
        land_ = out.front();
        out.erase(out.begin());
        return out;
    }

    void add_sheds(Outlines& houses) {
        OGRPolygon largest;
        for (const OGRPolygon& yard : polygons(*difference(land_, houses)))
            if (yard.get_Area() > largest.get_Area()) largest = yard;
        if (largest.IsEmpty() || largest.getNumInteriorRings() > 0) return;
        Lot yard(outer_ring(largest));
        for (OGRPolygon& shed : courtyard_buildings(yard, dice_)) houses.push_back(shed);
    }

    Outlines terraces() {
        const bool old = zone_ == Zone::old_town;
        const double room = lot_.box().shorter;
        FrontageStyle style{old ? dice_.between(10, 12) : dice_.between(11.5, 14),
                            old ? dice_.between(8, 11) : dice_.between(14, 19),
                            zone_ == Zone::inner ? 0.16 : 0.035};
        Outlines out;
        for (const double share : {1.0, 0.8, 0.8}) {
            style.depth *= share;
            if (room > 2 * style.depth + 8) out = joined(frontage(lot_.ring(), style, dice_));
            if (!out.empty() && sound(out, land_)) break;
            out.clear();
        }
        if (!out.empty() && room > 2 * style.depth + 24) add_sheds(out);
        if (out.empty()) out = row_houses(lot_, dice_);
        return out.empty() ? detached_houses(lot_, dice_) : out;
    }

    Outlines buildings(Use use) {
        switch (use) {
            case Use::terraces: return terraces();
            case Use::rows: return row_houses(lot_, dice_);
            case Use::detached: return detached_houses(lot_, dice_);
            case Use::slabs: return slabs(lot_, dice_);
            case Use::halls: return halls(lot_, dice_);
            case Use::school: return school(lot_, dice_);
            case Use::church: return church(lot_, dice_);
            case Use::farm: return farm(lot_, dice_);
            default: return {};
        }
    }

    void inlay_blobs(Art art, int count, double low, double high) {
        const Box& box = lot_.box();
        for (int k = 0; k < count; ++k) {
            const double r = dice_.between(low, high);
            const Point p = box.centre + box.along * (dice_.between(-0.45, 0.45) * box.longer) +
                            left_of(box.along) * (dice_.between(-0.45, 0.45) * box.shorter);
            if (lot_.take(rectangle(p - Point{r, r}, {1, 0}, 2 * r, 2 * r), 2, 3))
                inlays_.push_back({art, polygon(blob(p, r, dice_))});
        }
    }

    void pitch() {
        const Box& box = lot_.box();
        const Point across = left_of(box.along);
        for (const double end : {-0.5, 0.5}) {
            const Point near = box.centre + box.along * (end * (box.longer - 40) - 20);
            const Ring field = rectangle(near - across * 16, box.along, 40, 32);
            if (!lot_.take(field, 3, 5)) continue;
            inlays_.push_back({Art::other_green, polygon(field)});
            return;
        }
    }

    void furnish(Use use) {
        if (use == Use::school) pitch();
        if (use == Use::park) {
            inlay_blobs(Art::basin, dice_.whole(0, 1), 9, 14);
            inlay_blobs(Art::copse, dice_.whole(8, 16), 5, 11);
        }
        if (use == Use::field) inlay_blobs(Art::copse, dice_.whole(0, 3), 8, 20);
    }

    Art ground(Use use) {
        switch (use) {
            case Use::halls:
            case Use::square:
            case Use::church: return Art::paved;
            case Use::terraces:
                return dice_.chance(zone_ == Zone::old_town ? 0.7 : 0.25) ? Art::paved
                                                                          : Art::garden;
            case Use::field:
            case Use::farm: return Art::field;
            case Use::vineyard: return Art::vineyard;
            case Use::forest: return Art::forest;
            case Use::green: return Art::other_green;
            default: return Art::garden;
        }
    }

    OGRPolygon land_;
    Zone zone_;
    Dice& dice_;
    Lot lot_;
    std::vector<Feature> inlays_;
};

}  // namespace

std::vector<Feature> fill(const Site& site, const Block& block, Dice dice) {
    std::vector<Feature> out;
    std::vector<OGRPolygon> plots{block.land};
    if (block.sidewalks) {
        plots = polygons(*buffer(block.land, -sidewalk_width));
        add(Art::sidewalk, *difference(block.land, *together(plots)), out);
    }
    for (const OGRPolygon& plot : plots) {
        const bool whole = plot.getNumInteriorRings() == 0;
        const Use use = whole ? choose_use(site, block.zone, outer_ring(plot), dice) : Use::green;
        for (Feature& feature : Builder(plot, block.zone, dice).build(use))
            out.push_back(std::move(feature));
    }
    return out;
}

std::vector<Feature> fill_market(const OGRPolygon& land, Dice dice) {
    return Builder(land, Zone::old_town, dice).build(Use::church);
}

}  // namespace civitas::survey
