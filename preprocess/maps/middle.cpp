#include "middle.hpp"

#include "recognise.hpp"

#include <algorithm>
#include <cmath>

namespace civitas::maps {
namespace {

constexpr double zone_degrees = 6;
constexpr std::size_t enough_features = 100'000;

Place middle_of(const OGREnvelope& box) {
    return {(box.MinX + box.MaxX) / 2, (box.MinY + box.MaxY) / 2};
}

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

/// Of what next() gives; nothing where no feature has a geometry.
template <class Next>
std::optional<Place> middle_of_features(Next&& next) {
    std::vector<double> x, y;
    for (OGRFeatureUniquePtr feature(next()); feature && x.size() < enough_features;
         feature.reset(next())) {
        const auto* geometry = feature->GetGeometryRef();
        if (geometry == nullptr || geometry->IsEmpty() != 0) continue;
        OGREnvelope box;
        geometry->getEnvelope(&box);
        const auto middle = middle_of(box);
        if (!std::isfinite(middle.x) || !std::isfinite(middle.y)) continue;
        x.push_back(middle.x);
        y.push_back(middle.y);
    }
    if (x.empty()) return std::nullopt;
    return Place{median_of(std::move(x)), median_of(std::move(y))};
}

/// Of an extract of OpenStreetMap, which is not read to know its extent. One that has been read as
/// a whole cannot be read by layers any more, nor the other way round.
std::optional<Place> middle_of_extract(GDALDataset& dataset, OGRLayer* layer) {
    OGREnvelope box;
    if (dataset.GetLayer(0)->GetExtent(&box, FALSE) == OGRERR_NONE) return middle_of(box);
    dataset.ResetReading();
    return middle_of_features([&] {
        return layer != nullptr ? layer->GetNextFeature()
                                : dataset.GetNextFeature(nullptr, nullptr, nullptr, nullptr);
    });
}

}  // namespace

std::optional<Place> middle_of(const Task& task, OpenMaps& maps) {
    auto& dataset = maps.get(task.dataset);
    auto* layer = dataset.GetLayerByName(task.layer.c_str());
    if (is_openstreetmap(dataset)) return middle_of_extract(dataset, layer);
    OGREnvelope box;
    if (layer == nullptr || layer->GetExtent(&box, TRUE) != OGRERR_NONE) return std::nullopt;
    if (!is_wide(parse_crs(task.crs), box)) return middle_of(box);
    layer->ResetReading();
    return middle_of_features([&] { return layer->GetNextFeature(); });
}

}  // namespace civitas::maps
