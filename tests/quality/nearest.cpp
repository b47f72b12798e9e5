#include "civitas/quality/nearest.hpp"

#include "civitas/random/stream.hpp"
#include "drawn.hpp"

#include <catch2/catch.hpp>

using namespace civitas;
using namespace civitas::quality;
using civitas::test::drawn;

namespace {

ClassMap random_map(std::int64_t pixels, std::uint64_t number) {
    ClassMap map{pixels, 4, {}};
    const RandomStream random(Seed{3}, Purpose::metric, {8, number});
    for (std::int64_t i = 0; i < pixels * pixels; ++i)
        map.classes.push_back(
            static_cast<LandClass>(random.below(3, static_cast<std::uint64_t>(i))));
    return map;
}

ClassMap turned(const ClassMap& map, bool mirrored) {
    ClassMap out = map;
    for (std::int64_t y = 0; y < map.pixels; ++y)
        for (std::int64_t x = 0; x < map.pixels; ++x)
            out.classes[static_cast<std::size_t>(y * map.pixels + x)] =
                map.at(mirrored ? y : map.pixels - 1 - y, x);
    return out;
}

}  // namespace

TEST_CASE("the share of pixels that differ, classes being all equally different") {
    const ClassMap map = drawn({"#+.", "...", "..."});
    CHECK(nearest_differences(std::vector{map}, std::vector{drawn({".+#", "...", "..."})})[0] ==
          0);  // mirrored
    CHECK(nearest_differences(std::vector{map}, std::vector{drawn({"##.", "...", "..."})})[0] ==
          Approx(1 / 9.0));
    CHECK(nearest_differences(std::vector{map}, std::vector{drawn({"...", ".#.", "..."}),
                                                            drawn({"...", "...", "..."})})[0] ==
          Approx(2 / 9.0));
}

TEST_CASE("copies are found in every symmetry, and in larger tiles") {
    for (const std::int64_t pixels : {20, 128}) {
        const ClassMap tile = random_map(pixels, 1);
        const std::vector others{random_map(pixels, 2), tile, random_map(pixels, 3)};
        ClassMap copy = tile;
        for (int quarter = 0; quarter < 4; ++quarter, copy = turned(copy, false)) {
            CHECK(nearest_differences(std::vector{copy}, others)[0] == 0);
            CHECK(nearest_differences(std::vector{turned(copy, true)}, others)[0] == 0);
        }
        CHECK(nearest_differences(std::vector{random_map(pixels, 4)}, others)[0] > 0.5);
    }
}

TEST_CASE("larger tiles are halved: of four pixels the class that most have, or the highest") {
    ClassMap map{128, 4, std::vector<LandClass>(128 * 128, LandClass::other)};
    const auto draw = [&](std::size_t x, std::size_t y, LandClass of) {
        map.classes[y * 128 + x] = of;
    };
    draw(0, 0, LandClass::building), draw(1, 0, LandClass::road), draw(0, 1, LandClass::road);
    draw(2, 0, LandClass::road), draw(3, 1, LandClass::road);          // two and two
    draw(4, 0, LandClass::building), draw(5, 1, LandClass::building);  // two and two
    draw(6, 0, LandClass::building), draw(7, 0, LandClass::road);      // and two others
    const ClassMap half = halved(map);
    REQUIRE(half.pixels == 64);
    CHECK(half.pixel_metres == 8);
    const std::vector<LandClass> expected{LandClass::road, LandClass::road, LandClass::building,
                                          LandClass::other, LandClass::other};
    for (std::size_t x = 0; x < expected.size(); ++x) CHECK(half.classes[x] == expected[x]);
    CHECK(halved(half).pixels == 64);
}

TEST_CASE("copies come nearer than test tiles do") {
    std::vector<ClassMap> learnt, test;
    for (std::uint64_t i = 0; i < 4; ++i) {
        learnt.push_back(random_map(16, i));
        test.push_back(random_map(16, 10 + i));
    }
    const auto copies = memorisation(learnt, test, learnt);
    CHECK(copies.among == 4);
    CHECK(copies.plans == 0);
    CHECK(copies.ratio() == 0);
    CHECK(copies.nearer_share == 1);
    CHECK(copies.nearest_test > 0.4);
    const auto same = memorisation(test, test, learnt);
    CHECK(same.ratio() == 1);
    CHECK(same.nearer_share == 0);
    CHECK(same.nearest_plan == same.nearest_test);
}
