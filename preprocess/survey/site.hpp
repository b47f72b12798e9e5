#pragma once
/// Where a town lies and what was there before its houses: river, lake, railway, main roads, and
/// which kind of quarter belongs where. Local metres, the origin at the lower left corner.
#include "dice.hpp"
#include "geometry.hpp"
#include "style.hpp"

namespace civitas::survey {

inline constexpr double survey_side = 6500;    ///< of the surveyed square
inline constexpr double least_street = 8;      ///< between the properties on both sides
inline constexpr double sidewalk_width = 1.8;  ///< belongs to the street, drawn from the block

enum class Zone { old_town, centre, inner, outer, industry, country };

struct Street {
    Line centre;
    double width = 0;  ///< from property to property
};

/// How far out a point is, and in which zone it lies.
class Zoning {
public:
    explicit Zoning(Seed seed);
    [[nodiscard]] Point centre() const { return centre_; }
    [[nodiscard]] double radius() const { return radius_; }
    [[nodiscard]] double old_radius() const { return old_radius_; }
    /// A point of the plan at an angle and at a distance in the town's own stretched metric.
    [[nodiscard]] Point at(double angle, double metres) const;
    /// 0 in the middle, 1 at the edge of the town.
    [[nodiscard]] double outwardness(const Point& p) const;
    [[nodiscard]] Zone zone(const Point& p, double metres_to_rail) const;

private:
    [[nodiscard]] double metres(const Point& p) const;
    Point centre_;
    double radius_ = 0;
    double old_radius_ = 0;
    double stretch_ = 1;
    double tilt_ = 0;
    Noise edge_;
    Noise mix_;
    Noise works_;
};

struct Site {
    Seed seed{};
    Style style = Style::mixed;
    Zoning zoning;
    Line river;
    double river_width = 0;
    Line rail;
    std::vector<Ring> lakes;  ///< none or one
    Ring market;
    std::vector<Ring> rings;      ///< ring roads, from the inside out
    std::vector<Street> streets;  ///< main roads with their centre lines

    [[nodiscard]] Zone zone(const Point& p) const;
};

[[nodiscard]] Site make_site(const TownChoice& choice);

/// The square cut up along its main lines: together the parts cover it once.
struct Ground {
    std::vector<OGRPolygon> roads;
    std::vector<OGRPolygon> rail;
    std::vector<OGRPolygon> river;
    std::vector<OGRPolygon> lake;
    std::vector<OGRPolygon> market;
    std::vector<OGRPolygon> quarters;
};

[[nodiscard]] Ground cut_ground(const Site& site);

}  // namespace civitas::survey
