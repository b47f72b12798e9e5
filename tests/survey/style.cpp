#include "preprocess/survey/style.hpp"

#include "preprocess/survey/town.hpp"
#include "preprocess/survey/writer.hpp"
#include "support/temporary.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

using namespace civitas;
using namespace civitas::survey;

namespace {

const std::vector<Style> all_styles{Style::mixed, Style::perimeter, Style::suburb, Style::industry,
                                    Style::old_town};

/// Made once for all tests.
const Town& town_of(Style style) {
    static std::map<Style, Town> made;
    const auto found = made.find(style);
    if (found != made.end()) return found->second;
    return made.emplace(style, make_town({Seed{2}, style})).first->second;
}

std::string bytes_of(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Of the buildings of a town.
struct Built {
    double square_metres = 0;
    double count = 0;
    [[nodiscard]] double each() const { return square_metres / count; }
};

Built built(Style style) {
    Built sum;
    for (const Feature& feature : town_of(style).features) {
        if (feature.art != Art::building) continue;
        sum.square_metres += feature.land.get_Area();
        ++sum.count;
    }
    return sum;
}

double area_of(Style style, Art art) {
    double sum = 0;
    for (const Feature& feature : town_of(style).features)
        if (feature.art == art) sum += feature.land.get_Area();
    return sum;
}

}  // namespace

TEST_CASE("styles have names, and an unknown one is refused with those that there are") {
    for (const Style style : all_styles) CHECK(parse_style(to_string(style)) == style);
    CHECK(style_names() == "mixed, perimeter, suburb, industry or old-town");
    CHECK_THROWS_WITH(parse_style("suburbs"),
                      Catch::Contains("unknown style of a town 'suburbs'") &&
                          Catch::Contains("Hint: " + style_names()));
}

TEST_CASE("a town of any style is valid land cover without gaps or overlaps") {
    for (const Style style : all_styles) {
        CAPTURE(to_string(style));
        double area = 0;
        int invalid = 0;
        for (const Feature& feature : town_of(style).features) {
            area += feature.land.get_Area();
            invalid += feature.land.IsValid() ? 0 : 1;
        }
        CHECK(invalid == 0);
        CHECK(std::abs(area - survey_side * survey_side) < 0.01);
        for (const Street& street : town_of(style).streets) CHECK(street.width >= least_street);
    }
}

TEST_CASE("what stands in a town is of its style") {
    const Built mixed = built(Style::mixed);
    CHECK(built(Style::industry).each() > 4 * mixed.each());
    CHECK(built(Style::suburb).each() < mixed.each());
    CHECK(built(Style::old_town).each() < mixed.each());
    CHECK(built(Style::old_town).count > 1.5 * mixed.count);
    CHECK(built(Style::industry).count < 0.25 * mixed.count);
    CHECK(built(Style::suburb).square_metres < 0.9 * mixed.square_metres);
    CHECK(built(Style::perimeter).square_metres > 1.2 * mixed.square_metres);
    CHECK(area_of(Style::suburb, Art::garden) > area_of(Style::mixed, Art::garden));
    CHECK(area_of(Style::industry, Art::garden) < 0.1 * area_of(Style::mixed, Art::garden));
    CHECK(area_of(Style::industry, Art::street) < 0.8 * area_of(Style::mixed, Art::street));
    CHECK(area_of(Style::old_town, Art::street) > area_of(Style::perimeter, Art::street));
}

TEST_CASE("towns of one style or of several have ground of their own") {
    CHECK(place_of({Seed{1}}).x == 2500000);
    CHECK(place_of({Seed{1}}).y == 1290000);
    std::vector<Point> places{place_of({Seed{1}})};
    for (const Style style : all_styles) {
        if (style == Style::mixed) continue;
        for (std::uint64_t seed = 0; seed < 3; ++seed)
            places.push_back(place_of({Seed{seed}, style}));
        CHECK(length(place_of({Seed{7}, style}) - place_of({Seed{1}, style})) == 0);
    }
    for (std::size_t i = 0; i < places.size(); ++i)
        for (std::size_t k = 0; k < i; ++k)
            CHECK(std::max(std::abs(places[i].x - places[k].x),
                           std::abs(places[i].y - places[k].y)) >= 10000);
    // The area of use of EPSG:2056, and the country's north-western corner.
    for (const Point& place : places) {
        CHECK(place.x >= 2485000);
        CHECK(place.x + survey_side < 2568000);
        CHECK(place.y >= 1265000);
        CHECK(place.y + survey_side < 1300000);
    }
}

TEST_CASE("a style has other bytes than the mixed town, and the same ones twice") {
    const test::TemporaryFolder folder("survey-style");
    const TownChoice choice{Seed{2}, Style::industry};
    write_town(folder.path() / "one.gpkg", town_of(Style::industry), choice);
    write_town(folder.path() / "two.gpkg", make_town(choice), choice);
    write_town(folder.path() / "mixed.gpkg", town_of(Style::mixed), {Seed{2}});
    const std::string one = bytes_of(folder.path() / "one.gpkg");
    CHECK(one.size() > 1000000);
    CHECK(one == bytes_of(folder.path() / "two.gpkg"));
    CHECK(one != bytes_of(folder.path() / "mixed.gpkg"));
    CHECK(one.find("seed 2, style industry. No real place.") != std::string::npos);
    CHECK(bytes_of(folder.path() / "mixed.gpkg").find("seed 2. No real place.") !=
          std::string::npos);
}
