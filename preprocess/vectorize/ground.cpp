#include "network.hpp"

#include "borders.hpp"
#include "civitas/base/error.hpp"

#include <gdal_alg.h>
#include <algorithm>
#include <array>

namespace civitas::vectorize {
namespace {

constexpr double kNarrow = 0.5;  // pixels
constexpr int kRounds = 6;

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

std::vector<OGREnvelope> envelopes(const Polygons& polygons) {
    std::vector<OGREnvelope> all(polygons.size());
    for (std::size_t i = 0; i < all.size(); ++i) polygons[i].getEnvelope(&all[i]);
    return all;
}

/// Number of the building that the face is a part of.
std::size_t building_of(const OGRPolygon& face, const Polygons& buildings,
                        const std::vector<OGREnvelope>& extents) {
    const auto inside = point_inside(face);
    if (!inside) return kNone;
    const OGRPoint point(inside->x, inside->y);
    OGREnvelope extent;
    point.getEnvelope(&extent);
    for (std::size_t b = 0; b < buildings.size(); ++b) {
        if (extents[b].Contains(extent) && buildings[b].Contains(&point)) return b;
    }
    return kNone;
}

/// The same building with a vertex wherever a neighbour has one, so that both agree to the bit.
OGRPolygon with_nodes(const OGRPolygon& building, const Polygons& its_faces) {
    auto whole = dissolved(its_faces);
    return whole.size() == 1 ? whole.front() : building;
}

/// Number of the face over each pixel's centre, -1 for none.
std::vector<std::int32_t> burned(const Polygons& faces, int side) {
    auto* memory = GetGDALDriverManager()->GetDriverByName("MEM");
    ensure(memory != nullptr, "GDAL has rasters in memory");
    const Dataset dataset(memory->Create("", side, side, 1, GDT_Int32, nullptr));
    double frame[6] = {0, 1, 0, static_cast<double>(side), 0, -1};
    dataset->SetGeoTransform(frame);
    dataset->GetRasterBand(1)->Fill(-1);
    std::vector<OGRGeometryH> handles;
    std::vector<double> values;
    for (const auto& face : faces) {
        handles.push_back(OGRGeometry::ToHandle(const_cast<OGRPolygon*>(&face)));
        values.push_back(static_cast<double>(values.size()));
    }
    int band = 1;
    std::vector<std::int32_t> owner(static_cast<std::size_t>(side) *
                                    static_cast<std::size_t>(side));
    const auto done = GDALRasterizeGeometries(
        GDALDataset::ToHandle(dataset.get()), 1, &band, static_cast<int>(handles.size()),
        handles.data(), nullptr, nullptr, values.data(), nullptr, nullptr, nullptr);
    ensure(done == CE_None, "GDAL burns the faces");
    ensure(dataset->GetRasterBand(1)->RasterIO(GF_Read, 0, 0, side, side, owner.data(), side, side,
                                               GDT_Int32, 0, 0, nullptr) == CE_None,
           "GDAL reads the faces");
    return owner;
}

/// For each face: true when more of its pixels are road than open ground.
std::vector<bool> mostly_road(const Polygons& faces, const ClassRaster& raster) {
    std::vector<std::array<int, 2>> votes(faces.size());
    const auto owner = burned(faces, raster.side);
    for (std::size_t p = 0; p < owner.size(); ++p) {
        if (owner[p] < 0 || raster.classes[p] == kBuilding) continue;
        ++votes[static_cast<std::size_t>(owner[p])][raster.classes[p] == kRoad ? 1 : 0];
    }
    std::vector<bool> road;
    for (const auto& vote : votes) road.push_back(vote[1] > vote[0]);
    return road;
}

bool sliver(const OGRPolygon& polygon, double least_area) {
    const double area = polygon.get_Area();
    return area < least_area || 2 * area < kNarrow * perimeter(polygon);
}

/// A sliver that only touches buildings becomes part of the one it touches most.
bool joined_to_building(const OGRPolygon& piece, Polygons& buildings) {
    const auto longest = BorderIndex(buildings).closest(piece);
    if (!longest) return false;
    auto& building = buildings[*longest];
    auto whole = dissolved({building, piece});
    if (whole.size() != 1) return false;
    building = whole.front();
    return true;
}

/// Slivers of `from` go to `to` where they touch it, else to a building. True: something moved.
bool give_away(Polygons& from, Polygons& to, Polygons& buildings, double least_area) {
    const BorderIndex receivers(to);
    Polygons kept, given;
    bool moved = false;
    for (auto& piece : from) {
        const bool small = sliver(piece, least_area);
        if (small && !receivers.shared_with(piece).empty()) {
            given.push_back(std::move(piece));
        } else if (small && joined_to_building(piece, buildings)) {
            moved = true;
        } else {
            kept.push_back(std::move(piece));
        }
    }
    from = std::move(kept);
    if (given.empty()) return moved;
    for (auto& piece : given) to.push_back(std::move(piece));
    to = dissolved(to);
    return true;
}

}  // namespace

Ground assigned(const Polygons& faces, const Polygons& buildings, const ClassRaster& raster,
                double least_area) {
    Ground ground;
    const auto extents = envelopes(buildings);
    std::vector<Polygons> parts(buildings.size());
    const auto road = mostly_road(faces, raster);
    for (std::size_t f = 0; f < faces.size(); ++f) {
        const auto building = building_of(faces[f], buildings, extents);
        auto& owner = building != kNone ? parts[building] : road[f] ? ground.roads : ground.other;
        owner.push_back(faces[f]);
    }
    for (std::size_t b = 0; b < buildings.size(); ++b) {
        ground.buildings.push_back(with_nodes(buildings[b], parts[b]));
    }
    ground.roads = dissolved(ground.roads);
    ground.other = dissolved(ground.other);
    for (int round = 0; round < kRounds; ++round) {
        const bool roads = give_away(ground.roads, ground.other, ground.buildings, least_area);
        const bool other = give_away(ground.other, ground.roads, ground.buildings, least_area);
        if (!roads && !other) break;
    }
    return ground;
}

}  // namespace civitas::vectorize
