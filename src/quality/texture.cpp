#include "box_counting.hpp"
#include "groups.hpp"
#include "spectrum.hpp"

#include <functional>

namespace civitas::quality {
namespace {

/// Power of buildings and of roads together.
std::vector<double> power_of_map(const ClassMap& map) {
    auto power = power_of(Mask(map, LandClass::building));
    const auto roads = power_of(Mask(map, LandClass::road));
    std::transform(power.begin(), power.end(), roads.begin(), power.begin(), std::plus<>{});
    return power;
}

}  // namespace

FigureGroup texture_figures(const ClassMap& map) {
    FigureGroup group{"Texture",
                      {{"building_box_dimension", "box dimension of buildings", "", {}},
                       {"building_box_r2", "r2 of its fit", "", {}},
                       {"road_box_dimension", "box dimension of roads", "", {}},
                       {"road_box_r2", "r2 of its fit", "", {}},
                       {"spectrum_slope", "slope of the spectrum", "", {}},
                       {"spectrum_nyquist", "peak at 2 pixels", "dB", {}},
                       {"spectrum_half_nyquist", "peak at 4 pixels", "dB", {}}}};
    auto& f = group.figures;
    if (const auto box = box_dimension(Mask(map, LandClass::building))) {
        f[0].values = {box->dimension};
        f[1].values = {box->r_squared};
    }
    if (const auto box = box_dimension(Mask(map, LandClass::road))) {
        f[2].values = {box->dimension};
        f[3].values = {box->r_squared};
    }
    if (const auto spectrum = spectrum_figures(power_of_map(map))) {
        f[4].values = {spectrum->slope};
        f[5].values = {spectrum->nyquist_db};
        f[6].values = {spectrum->half_nyquist_db};
    }
    return group;
}

}  // namespace civitas::quality
