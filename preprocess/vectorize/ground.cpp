#include "preprocess/vectorize/network.hpp"

#include "civitas/base/error.hpp"
#include "preprocess/vectorize/outline.hpp"

#include <gdal_alg.h>
#include <algorithm>
#include <array>
#include <map>

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
std::size_t building_of(OGRPolygon face, const Polygons& buildings,
                        const std::vector<OGREnvelope>& extents) {
    const GeometryPtr found(
        OGRGeometry::FromHandle(OGR_G_PointOnSurface(OGRGeometry::ToHandle(&face))));
    if (!found || found->IsEmpty()) return kNone;
    OGREnvelope inside;
    found->getEnvelope(&inside);
    for (std::size_t b = 0; b < buildings.size(); ++b) {
        if (extents[b].Contains(inside) && buildings[b].Contains(found.get())) return b;
    }
    return kNone;
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

/// Which of many polygons has a given edge. Faces of one network share their vertices to the bit.
class BorderIndex {
public:
    explicit BorderIndex(const Polygons& polygons) {
        for (std::size_t i = 0; i < polygons.size(); ++i) {
            for_edges(polygons[i], [&](const Key& key) { owner_[key] = i; });
        }
    }
    /// Length of the border that the polygon has in common with each it touches.
    [[nodiscard]] std::map<std::size_t, double> shared_with(const OGRPolygon& polygon) const {
        std::map<std::size_t, double> borders;
        for_edges(polygon, [&](const Key& key) {
            const auto found = owner_.find(key);
            if (found == owner_.end()) return;
            borders[found->second] += std::hypot(key[2] - key[0], key[3] - key[1]);
        });
        return borders;
    }

private:
    using Key = std::array<double, 4>;  // both ends, the smaller first

    template <class F>
    static void for_edges(const OGRPolygon& polygon, F f) {
        for (const auto* ring : polygon) {
            for (int i = 0; i + 1 < ring->getNumPoints(); ++i) {
                const std::array<double, 2> a{ring->getX(i), ring->getY(i)};
                const std::array<double, 2> b{ring->getX(i + 1), ring->getY(i + 1)};
                f(a < b ? Key{a[0], a[1], b[0], b[1]} : Key{b[0], b[1], a[0], a[1]});
            }
        }
    }
    std::map<Key, std::size_t> owner_;
};

/// A sliver that only touches buildings becomes part of the one it touches most.
bool joined_to_building(const OGRPolygon& piece, Polygons& buildings) {
    const auto borders = BorderIndex(buildings).shared_with(piece);
    const auto longest = std::max_element(borders.begin(), borders.end(),
                                          [](auto& a, auto& b) { return a.second < b.second; });
    if (longest == borders.end()) return false;
    auto& building = buildings[longest->first];
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
    for (auto& building : ground.buildings) building = without_nodes(building);
    return ground;
}

}  // namespace civitas::vectorize
