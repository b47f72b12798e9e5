#include "civitas/quality/obedience.hpp"

#include "civitas/base/error.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace civitas;
using namespace civitas::quality;

namespace {

/// Ten by ten pixels, of which so many are buildings and so many road.
ClassMap map_of(std::size_t buildings, std::size_t roads) {
    ClassMap map{10, 1, std::vector<LandClass>(100, LandClass::other)};
    for (std::size_t i = 0; i < buildings; ++i) map.classes[i] = LandClass::building;
    for (std::size_t i = 0; i < roads; ++i) map.classes[99 - i] = LandClass::road;
    return map;
}

}  // namespace

TEST_CASE("errors are means of absolute differences, correlations Pearson's") {
    const Obedience found =
        obedience_of("key", "name", {0.125, 0.25, 0.375, 0.5}, {0.25, 0.125, 0.5, 0.625});
    CHECK((found.key == "key" && found.name == "name"));
    CHECK(found.wished == Approx(0.3125));
    CHECK(found.drawn == Approx(0.375));
    CHECK(found.error == Approx(0.125));
    // Sums of squares 0.078125 and 0.15625, of products 0.09375: by hand.
    CHECK(found.correlation == Approx(0.09375 / std::sqrt(0.078125 * 0.15625)));
    CHECK(obedience_of("", "", {1, 2, 3}, {2, 4, 6}).correlation == Approx(1));
    CHECK(obedience_of("", "", {1, 2, 3}, {3, 2, 1}).correlation == Approx(-1));
    CHECK(std::isnan(obedience_of("", "", {1, 1, 1}, {3, 2, 1}).correlation));
}

TEST_CASE("cover of plans is compared as drawn and as stored") {
    const std::vector<ClassMap> stored{map_of(10, 20), map_of(30, 25), map_of(20, 40)};
    ImageSet soft = one_hot(stored);
    for (float& v : soft.values_BCHW) v *= 0.5F;  // shares s become 1/4 + s/2
    const std::vector<WishedCover> wished{{0.1, 0.2}, {0.3, 0.25}, {0.2, 0.5}};
    const auto rows = obedience_of(wished, soft, stored);
    REQUIRE(rows.size() == 4);
    CHECK(rows[0].key == "building");
    CHECK(rows[0].drawn == Approx(0.35));
    CHECK(rows[0].correlation == Approx(1));
    CHECK(rows[1].key == "road");
    CHECK(rows[1].drawn == Approx(0.25 + (0.2 + 0.25 + 0.4) / 6));
    CHECK(rows[2].key == "stored_building");
    CHECK(rows[2].error == Approx(0).margin(1e-12));
    CHECK(rows[3].key == "stored_road");
    CHECK(rows[3].error == Approx(0.1 / 3));
    CHECK(obedience_of(std::vector<WishedCover>{}, soft, stored).empty());
    ImageSet grey = soft;
    grey.channels = 1;
    CHECK(obedience_of(wished, grey, stored).size() == 2);
}
