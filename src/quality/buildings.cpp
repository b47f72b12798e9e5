#include "components.hpp"
#include "groups.hpp"
#include "object.hpp"
#include "outline.hpp"
#include "rectangle.hpp"
#include "spacing.hpp"

#include <cmath>
#include <numbers>

namespace civitas::quality {

FigureGroup building_figures(const ClassMap& map) {
    const auto buildings = components_of(Mask(map, LandClass::building), Neighbours::four);
    Figure count{"building_count",
                 "buildings per hectare",
                 "/ha",
                 {static_cast<double>(buildings.size()) / map.hectares()}};
    Figure area{"building_area", "footprint area", "m2", {}};
    Figure shape{"building_shape", "shape index", "", {}};
    Figure elongation{"building_elongation", "elongation", "", {}};
    Figure orientation{"building_orientation", "orientation", "degrees", {}};
    Figure rectangularity{"building_rectangularity", "rectangularity", "", {}};
    Figure right{"building_right_angles", "right angles among corners", "share", {}};
    Figure courtyards{"building_courtyards", "courtyards per building", "", {}};
    Figure spacing{"building_spacing", "distance to the nearest", "m", {}};
    for (const auto& building : buildings) {
        const auto pixels = static_cast<double>(building.size());
        const ObjectSizes sizes = sizes_of(building);
        const Rectangle around = smallest_rectangle(building);
        area.values.push_back(pixels * map.pixel_metres * map.pixel_metres);
        shape.values.push_back(sizes.perimeter / (4 * std::sqrt(pixels)));
        elongation.values.push_back(around.width / around.length);
        orientation.values.push_back(around.angle * 180 / std::numbers::pi);
        rectangularity.values.push_back(pixels / around.area());
        const Ring corners = simplified(outline_of(building));
        if (corners.size() > 2) right.values.push_back(right_angles(corners));
        courtyards.values.push_back(static_cast<double>(sizes.holes));
    }
    for (const double distance : spacing_of(buildings, map.pixels))
        spacing.values.push_back(distance * map.pixel_metres);
    return {"Buildings",
            {std::move(count), std::move(area), std::move(shape), std::move(elongation),
             std::move(orientation), std::move(rectangularity), std::move(right),
             std::move(courtyards), std::move(spacing)}};
}

}  // namespace civitas::quality
