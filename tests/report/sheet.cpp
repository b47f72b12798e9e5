#include "civitas/report/sheet.hpp"

#include <catch2/catch.hpp>

using namespace civitas;
using namespace civitas::report;
using io::Colour;

namespace {

constexpr int gutter = 5;

// Where pixel (x, y) of tile `column`, `row` lies on a sheet with tiles of `side`.
Colour pixel(const io::Picture& sheet, int side, int column, int row, int x, int y) {
    return sheet.at(gutter + column * (side + gutter) + x, gutter + row * (side + gutter) + y);
}

SoftImage uniform(std::int64_t pixels, float building, float road, float other) {
    SoftImage image{pixels, 3, {}};
    for (const float v : {building, road, other})
        image.values_CHW.insert(image.values_CHW.end(), static_cast<std::size_t>(pixels * pixels),
                                v);
    return image;
}

int brightness(Colour c) { return c.red + c.green + c.blue; }

}  // namespace

TEST_CASE("a sheet lays plans out in rows with white gutters") {
    std::vector<std::uint8_t> classes;
    for (std::uint8_t plan = 0; plan < 5; ++plan)
        classes.insert(classes.end(), 16, static_cast<std::uint8_t>(plan % 3));
    const auto sheet = sheet_of_classes(classes, 4, 3, 10);
    const int side = 12;  // the smallest multiple of 4 that reaches 10
    CHECK(sheet.width() == 3 * (side + gutter) + gutter);
    CHECK(sheet.height() == 2 * (side + gutter) + gutter);
    const Colour other = pixel(sheet, side, 0, 0, 0, 0);
    const Colour road = pixel(sheet, side, 1, 0, 0, 0);
    const Colour building = pixel(sheet, side, 2, 0, 11, 11);
    CHECK(pixel(sheet, side, 0, 1, 5, 5) == other);
    CHECK(pixel(sheet, side, 1, 1, 5, 5) == road);
    const Colour white{255, 255, 255};
    CHECK(pixel(sheet, side, 2, 1, 5, 5) == white);
    CHECK(sheet.at(0, 0) == white);
    CHECK(sheet.at(gutter + side + 1, 8) == white);
    CHECK(brightness(building) < 250);
    CHECK(building.red > building.green + 40);
    CHECK(other.green > other.red);
    CHECK(brightness(road) > brightness(other));
}

TEST_CASE("images keep their colours and hard edges, and are laid out like tiles") {
    std::vector<std::uint8_t> rgb(2 * 12);
    for (std::size_t i = 0; i < rgb.size(); ++i) rgb[i] = static_cast<std::uint8_t>(10 * i);
    const auto sheet = sheet_of_images(rgb, 2, 2, 8);
    CHECK(sheet.width() == 2 * (8 + gutter) + gutter);
    CHECK(pixel(sheet, 8, 0, 0, 3, 3) == Colour{0, 10, 20});
    CHECK(pixel(sheet, 8, 0, 0, 4, 3) == Colour{30, 40, 50});
    CHECK(pixel(sheet, 8, 0, 0, 3, 4) == Colour{60, 70, 80});
    CHECK(pixel(sheet, 8, 1, 0, 7, 7) == Colour{210, 220, 230});
}

TEST_CASE("classes keep hard edges, soft plans are interpolated") {
    const std::vector<std::uint8_t> classes{0, 2, 0, 2};
    const auto hard = sheet_of_classes(classes, 2, 1, 8);
    CHECK(pixel(hard, 8, 0, 0, 3, 0) == pixel(hard, 8, 0, 0, 0, 0));
    CHECK(pixel(hard, 8, 0, 0, 4, 0) == pixel(hard, 8, 0, 0, 7, 0));

    const SoftImage edge{2, 3, {-1, 1, -1, 1, -1, -1, -1, -1, 1, -1, 1, -1}};
    const auto soft = sheet_of_soft(std::vector{edge}, 4, 8);
    CHECK(soft.width() == 8 + 2 * gutter);
    CHECK(pixel(soft, 8, 0, 0, 0, 0) == pixel(hard, 8, 0, 0, 0, 0));
    CHECK(pixel(soft, 8, 0, 0, 7, 7) == pixel(hard, 8, 0, 0, 7, 7));
    // Centres of the two pixels lie at 1.5 and 5.5: between them three eighths at x = 3.
    const int left = pixel(hard, 8, 0, 0, 0, 0).green, right = pixel(hard, 8, 0, 0, 7, 0).green;
    CHECK(pixel(soft, 8, 0, 0, 3, 4).green == Approx(left + 0.375 * (right - left)).margin(0.6));
    CHECK(pixel(soft, 8, 0, 0, 4, 4).green == Approx(left + 0.625 * (right - left)).margin(0.6));
}

TEST_CASE("soft values blend between the three colours") {
    const auto colour = [](const SoftImage& image) {
        return pixel(sheet_of_soft(std::vector{image}, 1, 1), 2, 0, 0, 1, 1);
    };
    const Colour building = colour(uniform(2, 1, -1, -1));
    const Colour road = colour(uniform(2, -1, 1, -1));
    const Colour other = colour(uniform(2, -1, -1, 1));
    const Colour half = colour(uniform(2, 0, 0, -1));
    CHECK(half.red == Approx((building.red + road.red) / 2.0).margin(0.6));
    CHECK(half.blue == Approx((building.blue + road.blue) / 2.0).margin(0.6));
    CHECK(colour(uniform(2, -1, -1, -1)) == other);
    CHECK(colour(uniform(2, 7, -3, -1)) == building);

    const auto grey = [&](float v) { return colour({2, 1, {v, v, v, v}}); };
    CHECK(grey(-1) == other);
    CHECK(grey(0) == road);
    CHECK(grey(1) == building);
    CHECK(grey(0.5F).red == Approx((building.red + road.red) / 2.0).margin(0.6));
}

TEST_CASE("tiles of one map lie side by side") {
    const std::vector<std::uint8_t> classes{0, 1, 2, 0, 2, 2, 1, 1, 0, 0, 0, 1, 1, 0, 2, 1};
    const auto map = map_of_classes(classes, 2, 2);
    REQUIRE(map.width() == 4);
    REQUIRE(map.height() == 4);
    const auto other = map.at(0, 0), road = map.at(1, 0), building = map.at(0, 1);
    CHECK(map.at(1, 1) == other);
    CHECK(map.at(2, 0) == building);
    CHECK(map.at(3, 1) == road);
    CHECK(map.at(0, 2) == other);
    CHECK(map.at(1, 3) == road);
    CHECK(map.at(2, 2) == road);
    CHECK(map.at(2, 3) == building);
}

TEST_CASE("what is no plan is a broken promise") {
    CHECK_THROWS_WITH(sheet_of_classes(std::vector<std::uint8_t>{0, 1, 3, 0}, 2, 1, 2),
                      Catch::Contains("classes are 0, 1 and 2"));
    CHECK_THROWS_WITH(sheet_of_classes(std::vector<std::uint8_t>(5), 2, 1, 2),
                      Catch::Contains("whole plans"));
    CHECK_THROWS_WITH(sheet_of_soft(std::vector<SoftImage>{{2, 2, std::vector<float>(8)}}, 1, 2),
                      Catch::Contains("one or three channels"));
}
