#include "preprocess/vectorize/network.hpp"

#include "civitas/base/error.hpp"
#include "preprocess/vectorize/outline.hpp"

#include <gdal_alg.h>
#include <algorithm>
#include <array>

namespace civitas::vectorize {
namespace {

constexpr double kNarrow = 0.5;  // pixels
constexpr int kRounds = 6;

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

/// Number of the building that the face is a part of.
std::size_t building_of(OGRPolygon face, const Polygons& buildings) {
    const GeometryPtr found(
        OGRGeometry::FromHandle(OGR_G_PointOnSurface(OGRGeometry::ToHandle(&face))));
    if (!found || found->IsEmpty()) return kNone;
    const OGRPoint& inside = *found->toPoint();
    const auto building =
        std::find_if(buildings.begin(), buildings.end(), [&](const OGRPolygon& candidate) {
            OGREnvelope extent, point;
            candidate.getEnvelope(&extent);
            inside.getEnvelope(&point);
            return extent.Contains(point) && candidate.Contains(&inside);
        });
    return building == buildings.end() ? kNone
                                       : static_cast<std::size_t>(building - buildings.begin());
}

/// The same building with a vertex wherever a neighbour has one, so that both agree to the bit.
OGRPolygon with_nodes(const OGRPolygon& building, const Polygons& its_faces) {
    auto whole = dissolved(its_faces);
    return whole.size() == 1 ? whole.front() : building;
}

OGRPolygon without_nodes(const OGRPolygon& building) {
    constexpr double kStraight = 1e-7;
    Shape shape = to_shape(building);
    shape.outer = tidied(shape.outer, kStraight);
    for (auto& hole : shape.holes) hole = tidied(hole, kStraight);
    return to_polygon(shape);
}

/// Number of the face over each pixel's centre, -1 for none.
std::vector<std::int32_t> burned(const Polygons& faces, int side) {
    auto* memory = GetGDALDriverManager()->GetDriverByName("MEM");
    expect(memory != nullptr, "GDAL has rasters in memory");
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
    expect(done == CE_None, "GDAL burns the faces");
    expect(dataset->GetRasterBand(1)->RasterIO(GF_Read, 0, 0, side, side, owner.data(), side, side,
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

double shared_border(const OGRPolygon& a, const OGRPolygon& b) {
    OGREnvelope of_a, of_b;
    a.getEnvelope(&of_a);
    b.getEnvelope(&of_b);
    if (!of_a.Intersects(of_b)) return 0;
    const GeometryPtr common(a.Intersection(&b));
    if (!common || common->IsEmpty()) return 0;
    if (wkbFlatten(common->getGeometryType()) == wkbLineString) {
        return common->toLineString()->get_Length();
    }
    if (!OGR_GT_IsSubClassOf(wkbFlatten(common->getGeometryType()), wkbGeometryCollection))
        return 0;
    return common->toGeometryCollection()->get_Length();
}

double shared_border(const OGRPolygon& a, const Polygons& all) {
    double sum = 0;
    for (const auto& b : all) sum += shared_border(a, b);
    return sum;
}

/// A sliver that only touches buildings becomes part of the one it touches most.
bool joined_to_building(const OGRPolygon& piece, Polygons& buildings) {
    std::vector<double> borders;
    for (const auto& b : buildings) borders.push_back(shared_border(piece, b));
    const auto longest = std::max_element(borders.begin(), borders.end());
    if (longest == borders.end() || *longest <= 0) return false;
    auto& building = buildings[static_cast<std::size_t>(longest - borders.begin())];
    auto whole = dissolved({building, piece});
    if (whole.size() != 1) return false;
    building = std::move(whole.front());
    return true;
}

/// Slivers of `from` go to `to` where they touch it, else to a building. True: something moved.
bool give_away(Polygons& from, Polygons& to, Polygons& buildings, double least_area) {
    Polygons kept, given;
    bool moved = false;
    for (auto& piece : from) {
        if (!sliver(piece, least_area)) {
            kept.push_back(std::move(piece));
        } else if (shared_border(piece, to) > 0) {
            given.push_back(std::move(piece));
        } else if (joined_to_building(piece, buildings)) {
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
    std::vector<Polygons> parts(buildings.size());
    const auto road = mostly_road(faces, raster);
    for (std::size_t f = 0; f < faces.size(); ++f) {
        const auto building = building_of(faces[f], buildings);
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
    for (auto& building : ground.buildings) building = without_nodes(building);
    return ground;
}

}  // namespace civitas::vectorize
