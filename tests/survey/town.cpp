#include "preprocess/survey/town.hpp"

#include <gdal_alg.h>
#include <gdal_priv.h>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>
#include <vector>

using namespace civitas;
using namespace civitas::survey;

namespace {

constexpr int pixels = 26 * 200;  // 1.25 m, 200 to a tile of 250 m

const Town& town() {
    static const Town made = make_town({Seed{5}});
    return made;
}

/// Burned by GDAL, one added for each polygon over a pixel's centre.
std::vector<std::uint8_t> burned(const std::vector<Feature>& features) {
    GDALAllRegister();
    GDALDriver* memory = GetGDALDriverManager()->GetDriverByName("MEM");
    const GDALDatasetUniquePtr raster(memory->Create("", pixels, pixels, 1, GDT_Byte, nullptr));
    double transform[6] = {0, survey_side / pixels, 0, survey_side, 0, -survey_side / pixels};
    raster->SetGeoTransform(transform);
    std::vector<OGRGeometryH> shapes;
    for (const Feature& feature : features)
        shapes.push_back(OGRGeometry::ToHandle(const_cast<OGRPolygon*>(&feature.land)));
    const std::vector<double> ones(shapes.size(), 1.0);
    char add[] = "MERGE_ALG=ADD";
    char* options[] = {add, nullptr};
    int band = 1;
    REQUIRE(GDALRasterizeGeometries(raster.get(), 1, &band, static_cast<int>(shapes.size()),
                                    shapes.data(), nullptr, nullptr, ones.data(), options, nullptr,
                                    nullptr) == CE_None);
    std::vector<std::uint8_t> out(std::size_t{pixels} * pixels);
    REQUIRE(raster->GetRasterBand(1)->RasterIO(GF_Read, 0, 0, pixels, pixels, out.data(), pixels,
                                               pixels, GDT_Byte, 0, 0) == CE_None);
    return out;
}

std::vector<Feature> only(const std::set<Art>& arts) {
    std::vector<Feature> out;
    for (const Feature& feature : town().features)
        if (arts.count(feature.art) == 1) out.push_back(feature);
    return out;
}

/// Share of each 250 m tile, row by row.
std::vector<double> shares(const std::set<Art>& arts) {
    const auto raster = burned(only(arts));
    std::vector<double> out(26 * 26, 0);
    for (std::size_t i = 0; i < raster.size(); ++i) {
        const std::size_t row = i / pixels / 200;
        const std::size_t column = i % pixels / 200;
        out[row * 26 + column] += raster[i] / 40000.0;
    }
    return out;
}

using Edge = std::array<double, 4>;

/// +1 for each edge that runs with the land on its left, -1 for its reverse.
void count_edges(const OGRLinearRing& ring, bool hole, std::map<Edge, int>& edges) {
    const bool turn = ring.isClockwise() != (hole ? 1 : 0);
    for (int i = 0; i + 1 < ring.getNumPoints(); ++i) {
        const int a = turn ? i + 1 : i;
        const int b = turn ? i : i + 1;
        const Edge edge{ring.getX(a), ring.getY(a), ring.getX(b), ring.getY(b)};
        const Edge reverse{edge[2], edge[3], edge[0], edge[1]};
        if (edge < reverse)
            ++edges[edge];
        else
            --edges[reverse];
    }
}

bool on_border(const Edge& e) {
    return (e[0] == e[2] && (e[0] == 0 || e[0] == survey_side)) ||
           (e[1] == e[3] && (e[1] == 0 || e[1] == survey_side));
}

}  // namespace

TEST_CASE("the land cover is a partition") {
    double area = 0;
    int invalid = 0;
    std::map<Edge, int> edges;
    for (const Feature& feature : town().features) {
        area += feature.land.get_Area();
        invalid += feature.land.IsValid() ? 0 : 1;
        bool hole = false;
        for (const OGRLinearRing* ring : feature.land) {
            count_edges(*ring, hole, edges);
            hole = true;
        }
    }
    CHECK(invalid == 0);
    CHECK(std::abs(area - survey_side * survey_side) < 0.01);
    // Every edge has its neighbour's on the other side, the border of the square has none.
    double unmatched = 0;
    double border = 0;
    for (const auto& [edge, sum] : edges) {
        const double metres = std::hypot(edge[2] - edge[0], edge[3] - edge[1]);
        if (on_border(edge))
            border += std::abs(sum) * metres;
        else
            unmatched += std::abs(sum) * metres;
    }
    CHECK(border == Approx(4 * survey_side).epsilon(1e-9));
    CHECK(unmatched < 1e-6 * border);
    // GDAL agrees: each pixel lies in one polygon.
    int wrong = 0;
    for (const std::uint8_t times : burned(town().features)) wrong += times == 1 ? 0 : 1;
    CHECK(wrong == 0);
}

TEST_CASE("tiles hold plausible shares of buildings and roads") {
    const auto building = shares({Art::building});
    const auto road = shares({Art::street, Art::sidewalk, Art::island});
    int kept = 0;
    double mean_building = 0;
    double mean_road = 0;
    for (std::size_t i = 0; i < building.size(); ++i) {
        CHECK(building[i] < 0.6);
        CHECK(road[i] < 0.5);
        CHECK(building[i] + road[i] < 0.85);
        if (building[i] <= 0.05 || road[i] <= 0.02) continue;
        ++kept;
        mean_building += building[i];
        mean_road += road[i];
    }
    CAPTURE(kept, mean_building, mean_road);
    CHECK(kept >= 300);
    CHECK(mean_building / kept > 0.12);
    CHECK(mean_building / kept < 0.35);
    CHECK(mean_road / kept > 0.1);
    CHECK(mean_road / kept < 0.35);
}

TEST_CASE("a town has everything a town has") {
    std::map<Art, int> count;
    for (const Feature& feature : town().features) ++count[feature.art];
    CHECK(count[Art::building] > 10000);
    for (const Art art : {Art::street, Art::sidewalk, Art::railway, Art::river, Art::garden,
                          Art::paved, Art::field, Art::forest, Art::copse, Art::other_green})
        CHECK(count[art] > 0);
}

TEST_CASE("every seed has its own town") {
    const auto heart = [](Seed seed) {
        const Site site = make_site({seed});
        return std::array<double, 4>{site.river.front().x, site.river_width, site.market[0].x,
                                     site.zoning.radius()};
    };
    CHECK(heart(Seed{1}) == heart(Seed{1}));
    for (std::uint64_t s = 0; s < 20; ++s) CHECK(heart(Seed{s}) != heart(Seed{s + 1}));
}
