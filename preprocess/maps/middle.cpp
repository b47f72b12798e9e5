#include "middle.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>

namespace civitas::maps {
namespace {

constexpr double zone_degrees = 6;
constexpr std::size_t enough_features = 100'000;

bool is_wide(const OGRSpatialReference& crs, const OGREnvelope& box) {
    const double middle = (box.MinY + box.MaxY) / 2;
    const auto west = degrees_of(crs, {box.MinX, middle});
    const auto east = degrees_of(crs, {box.MaxX, middle});
    return !west || !east || east->x - west->x > zone_degrees || east->x < west->x;
}

double median_of(std::vector<double> numbers) {
    const auto half = numbers.begin() + std::ssize(numbers) / 2;
    std::nth_element(numbers.begin(), half, numbers.end());
    return *half;
}

/// Nothing where no feature has a geometry.
std::optional<Place> middle_of_features(OGRLayer& layer) {
    std::vector<double> x, y;
    layer.ResetReading();
    for (OGRFeatureUniquePtr feature(layer.GetNextFeature()); feature && x.size() < enough_features;
         feature.reset(layer.GetNextFeature())) {
        const auto* geometry = feature->GetGeometryRef();
        if (geometry == nullptr || geometry->IsEmpty() != 0) continue;
        OGREnvelope box;
        geometry->getEnvelope(&box);
        x.push_back((box.MinX + box.MaxX) / 2);
        y.push_back((box.MinY + box.MaxY) / 2);
    }
    layer.ResetReading();
    if (x.empty()) return std::nullopt;
    return Place{median_of(std::move(x)), median_of(std::move(y))};
}

}  // namespace

Place middle_of(const Task& task, OpenMaps& maps) {
    auto& dataset = maps.get(task.dataset);
    const bool osm = task.layer.empty();
    auto* layer = osm ? dataset.GetLayer(0) : dataset.GetLayerByName(task.layer.c_str());
    OGREnvelope box;
    if (layer == nullptr || layer->GetExtent(&box, osm ? FALSE : TRUE) != OGRERR_NONE)
        throw Error(text(describe(task), " does not say where it is"),
                    Hint{"--crs names the system to cut tiles in"});
    const Place middle{(box.MinX + box.MaxX) / 2, (box.MinY + box.MaxY) / 2};
    if (osm || !is_wide(parse_crs(task.crs), box)) return middle;
    return middle_of_features(*layer).value_or(middle);
}

}  // namespace civitas::maps
