#include "preprocess/survey/conform.hpp"
#include "preprocess/survey/frontage.hpp"
#include "preprocess/survey/lot.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

using namespace civitas;
using namespace civitas::survey;

TEST_CASE("the oriented box of a turned rectangle is the rectangle") {
    const Ring ring = rectangle({100, 200}, turned({1, 0}, 0.3), 40, 15);
    const Box box = oriented_box(ring);
    CHECK(box.longer == Approx(40));
    CHECK(box.shorter == Approx(15));
    CHECK(std::abs(dot(box.along, turned({1, 0}, 0.3))) == Approx(1));
    CHECK(length(box.centre - centroid(ring)) < 1e-9);
}

TEST_CASE("conforming polygons share the vertex that lay on a neighbour's edge") {
    const OGRPolygon wide = polygon({{0, 0}, {30, 0}, {30, 10}, {0, 10}});
    const OGRPolygon left = polygon({{0, 10 + 1e-9}, {10.1, 10}, {10.1, 20}, {0, 20}});
    const OGRPolygon crack = polygon({{0, 10}, {10, 10}, {10, 10 + 1e-7}});
    const auto out = conform({&wide, &left, &crack});
    REQUIRE(out.size() == 3);
    CHECK(out[0].getExteriorRing()->getNumPoints() == 6 + 1);
    CHECK(out[1].getExteriorRing()->getNumPoints() == 5 + 1);
    CHECK(out[2].IsEmpty());
    CHECK(out[0].Touches(&out[1]));
}

TEST_CASE("a lot takes a building once, inside its edge and away from others") {
    Lot lot(rectangle({0, 0}, {1, 0}, 60, 40));
    CHECK_FALSE(lot.take(rectangle({1, 10}, {1, 0}, 10, 10), 3, 5));
    CHECK(lot.take(rectangle({5, 10}, {1, 0}, 10, 10), 3, 5));
    CHECK_FALSE(lot.take(rectangle({5, 10}, {1, 0}, 10, 10), 3, 5));
    CHECK_FALSE(lot.take(rectangle({19, 10}, {1, 0}, 10, 10), 3, 5));
    CHECK(lot.take(rectangle({21, 10}, {1, 0}, 10, 10), 3, 5));
    CHECK_FALSE(lot.take(rectangle({-50, -50}, {1, 0}, 200, 200), 3, 5));
    // A corner that points inwards comes as near as a side: here from the north to the middle.
    const Ring notched{{0, 0}, {60, 0}, {60, 40}, {31, 40}, {30, 20}, {29, 40}, {0, 40}};
    CHECK_FALSE(Lot(notched).take(rectangle({20, 15}, {1, 0}, 20, 20), 3, 5));
    CHECK_FALSE(Lot(notched).take(rectangle({20, 8}, {1, 0}, 20, 10), 3, 5));
    CHECK(Lot(notched).take(rectangle({20, 6}, {1, 0}, 20, 10), 3, 5));
}

TEST_CASE("houses around a block stand wall to wall and leave a courtyard") {
    const Ring block = rectangle({0, 0}, turned({1, 0}, 0.4), 90, 60);
    Dice dice(Seed{1}, "test");
    const auto apart = frontage(block, {12, 15, 0}, dice);
    std::vector<const OGRPolygon*> lands;
    for (const OGRPolygon& house : apart) lands.push_back(&house);
    const auto houses = conform(lands);
    REQUIRE(houses.size() >= 12);
    double sum = 0;
    for (const OGRPolygon& house : houses) {
        CHECK(house.IsValid());
        sum += house.get_Area();
    }
    const Shape all = together(houses);
    const auto parts = polygons(*all);
    REQUIRE(parts.size() == 1);
    CHECK(parts[0].get_Area() == Approx(sum).epsilon(1e-9));
    CHECK(parts[0].getNumInteriorRings() == 1);
    CHECK(frontage(rectangle({0, 0}, {1, 0}, 90, 22), {12, 15, 0}, dice).empty());
}

TEST_CASE("noise is smooth and bounded") {
    const Noise noise(Seed{7}, "test", 500);
    for (int i = 0; i < 1000; ++i) {
        const Point p{i * 6.5, 3000.0 - i};
        CHECK(std::abs(noise(p)) <= 1);
        CHECK(std::abs(noise(p) - noise(p + Point{1, 1})) < 0.03);
    }
}
