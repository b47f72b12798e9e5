// Buildings with heights: closed solids over the plan's own outlines.
#include "preprocess/vectorize/map_file.hpp"
#include "stores.hpp"

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

using namespace civitas;
using namespace civitas::test;
using namespace civitas::vectorize;
using nlohmann::json;

namespace {

using Corner = std::array<double, 3>;

/// The city in a file of towns, with this number of floors.
json city_of(const Folder& folder, const char* floors, bool generated = false) {
    const auto ranks = comm::Communicator::world();
    const auto store = folder / "plans.h5", map = folder / "plans.city.json";
    write_store(ranks, store, header(generated));
    REQUIRE(call({store.c_str(), "--output", map.c_str(), "--floors", floors, "--overwrite"}) ==
            Exit::done);
    return json::parse(std::ifstream(map));
}

std::vector<Corner> corners_of(const json& city) {
    std::vector<Corner> corners;
    const auto &scale = city["transform"]["scale"], &move = city["transform"]["translate"];
    for (const auto& v : city["vertices"]) {
        Corner c{};
        for (std::size_t i = 0; i < 3; ++i)
            c[i] = scale[i].get<double>() * v[i].get<double>() + move[i].get<double>();
        corners.push_back(c);
    }
    return corners;
}

/// A sixth of the determinants of all triangles that fan out from a ring's first corner: the volume
/// of a closed solid whose surfaces run against the clock as seen from outside.
double volume_of(const json& shell, const std::vector<Corner>& corners) {
    double sum = 0;
    const Corner origin = corners.front();
    const auto at = [&](const json& number) {
        Corner c = corners.at(number.get<std::size_t>());
        for (std::size_t i = 0; i < 3; ++i) c[i] -= origin[i];
        return c;
    };
    for (const auto& surface : shell) {
        for (const auto& ring : surface) {
            const Corner a = at(ring[0]);
            for (std::size_t i = 1; i + 1 < ring.size(); ++i) {
                const Corner b = at(ring[i]), c = at(ring[i + 1]);
                sum += a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
                       a[2] * (b[0] * c[1] - b[1] * c[0]);
            }
        }
    }
    return sum / 6;
}

/// Every edge of a closed solid lies between two surfaces, which run along it in opposite ways.
bool closed(const json& shell) {
    std::map<std::pair<std::size_t, std::size_t>, int> edges;
    for (const auto& surface : shell) {
        for (const auto& ring : surface) {
            for (std::size_t i = 0; i < ring.size(); ++i) {
                const auto a = ring[i].get<std::size_t>();
                const auto b = ring[(i + 1) % ring.size()].get<std::size_t>();
                ++edges[{a, b}], --edges[{b, a}];
            }
        }
    }
    return std::all_of(edges.begin(), edges.end(), [](auto& edge) { return edge.second == 0; });
}

}  // namespace

TEST_CASE("Buildings are closed solids as high as their storeys") {
    const auto ranks = comm::Communicator::world();
    const Folder folder(ranks);
    const auto city = city_of(folder, "4");
    CHECK(city["type"] == "CityJSON");
    CHECK(city["version"] == "1.1");
    const auto corners = corners_of(city);
    std::map<std::string, int> count;
    for (const auto& [name, object] : city["CityObjects"].items()) {
        ++count[object["type"]];
        const auto& geometry = object["geometry"][0];
        if (object["type"] != "Building") {
            CHECK(geometry["type"] == "MultiSurface");
            continue;
        }
        CHECK(object["attributes"]["measuredHeight"] == 12);
        CHECK(object["attributes"]["storeysAboveGround"] == 4);
        REQUIRE(geometry["type"] == "Solid");
        const auto& shell = geometry["boundaries"][0];
        CHECK(closed(shell));
        const double area = object["attributes"]["area"];
        CHECK(volume_of(shell, corners) == Approx(12 * area).epsilon(1e-4));
    }
    CHECK(count["Building"] >= 45);
    CHECK(count["Road"] >= 1);
    CHECK(count["LandUse"] >= 3);
}

TEST_CASE("A city lies where its tiles do, and says which system its metres are of") {
    const auto ranks = comm::Communicator::world();
    const Folder folder(ranks);
    const auto city = city_of(folder, "3");
    CHECK(city["metadata"]["referenceSystem"] == "https://www.opengis.net/def/crs/EPSG/0/2056");
    for (const auto& c : corners_of(city)) {
        CHECK((c[0] >= 2600000 && c[0] <= 2600000 + 3 * kMetres));
        CHECK((c[1] >= 1200000 - kMetres && c[1] <= 1200000));
        CHECK((c[2] == 0 || c[2] == Approx(9)));
    }
    const std::string title = city_of(folder, "3", true)["metadata"]["title"];
    CHECK_THAT(title, Catch::Matchers::Contains("synthetic plan") &&
                          Catch::Matchers::Contains("licence: free"));
}
