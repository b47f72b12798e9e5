#include "civitas/quality/report.hpp"

#include "civitas/base/error.hpp"
#include "civitas/random/stream.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

using namespace civitas;
using namespace civitas::quality;

namespace {

/// Houses along streets, a new town for every number.
ClassMap town(std::uint64_t number) {
    constexpr std::int64_t pixels = 32;
    const RandomStream random(Seed{2}, Purpose::survey, {.major = 1, .minor = number});
    const auto street = 3 + static_cast<std::int64_t>(random.below(8, 0));
    const auto avenue = 3 + static_cast<std::int64_t>(random.below(20, 1));
    ClassMap map{pixels, 8, {}};
    for (std::int64_t y = 0; y < pixels; ++y)
        for (std::int64_t x = 0; x < pixels; ++x) {
            const bool road = std::abs(x - avenue) <= 1 || (y - street) % 16 == 0;
            const bool house = x % 6 < 3 && y % 5 < 3 && std::abs(x - avenue) > 3 &&
                               random.below(4, static_cast<std::uint64_t>(2 + x / 6)) > 0;
            map.classes.push_back(road    ? LandClass::road
                                  : house ? LandClass::building
                                          : LandClass::other);
        }
    return map;
}

PlanSet towns(std::uint64_t first, std::uint64_t count) {
    PlanSet set;
    for (std::uint64_t i = 0; i < count; ++i) set.stored.push_back(town(first + i));
    set.soft = one_hot(set.stored);
    for (float& v : set.soft.values_BCHW) v *= 0.9F;
    return set;
}

Report report_of(ReportInput input) {
    input.learnt = input.train.stored;
    input.seed = Seed{1};
    int parts = 0;
    Report report = report_on(input, [&] { ++parts; });
    CHECK(parts == report_parts);
    return report;
}

const ReportRow& row(const Report& report, std::string_view key) {
    for (const ReportGroup& group : report.groups)
        for (const ReportRow& r : group.rows)
            if (r.key == key) return r;
    throw Error(text("no row ", key));
}

}  // namespace

TEST_CASE("images have a channel each for buildings, roads and the rest") {
    const ClassMap map{
        2, 1, {LandClass::building, LandClass::road, LandClass::other, LandClass::other}};
    const ImageSet set = one_hot(std::vector{map, map});
    CHECK((set.count == 2 && set.channels == 3 && set.pixels == 2));
    const std::vector<float> image{1, -1, -1, -1, -1, 1, -1, -1, -1, -1, 1, 1};
    REQUIRE(set.values_BCHW.size() == 24);
    CHECK(std::equal(image.begin(), image.end(), set.values_BCHW.begin()));
    CHECK(std::equal(image.begin(), image.end(), set.values_BCHW.begin() + 12));
}

TEST_CASE("soft and stored pixels are shuffled alike") {
    PlanSet tiles = towns(0, 3);
    tiles.soft = one_hot(tiles.stored);
    const PlanSet noise = shuffled(tiles, Seed{1});
    CHECK(noise.soft.values_BCHW == one_hot(noise.stored).values_BCHW);
    CHECK(noise.soft.values_BCHW != tiles.soft.values_BCHW);
    for (const LandClass of : {LandClass::building, LandClass::road})
        CHECK(mean_cover(noise.soft, of) == Approx(mean_cover(tiles.soft, of)));
}

TEST_CASE("a report on test tiles themselves finds no difference") {
    const PlanSet test = towns(0, 12);
    const Report report = report_of({test, test, towns(100, 12), {}, {}});
    CHECK(report.count == 12);
    CHECK(report.pixels == 32);
    CHECK(report.pixel_metres == 8);
    std::size_t rows = 0;
    std::set<std::string_view> keys;
    for (const ReportGroup& group : report.groups)
        for (const ReportRow& r : group.rows) {
            INFO(r.key);
            ++rows;
            keys.insert(r.key);
            CHECK(r.apart.plans.ks == 0);
            CHECK(r.apart.plans.wasserstein == 0);
            CHECK(r.mean.plans == r.test);
        }
    CHECK(rows >= 38);
    CHECK(keys.size() == rows);
    CHECK(report.stored.sliced.mean.plans == 0);
    CHECK(report.mmd.plans.p > 0.9);
    CHECK(report.memorisation.ratio() == 1);
}

TEST_CASE("grey images have the cover of the classes that they stand for") {
    const auto grey = [](PlanSet set) {
        set.soft = {std::ssize(set.stored), 1, 32, {}};
        for (const ClassMap& map : set.stored)
            for (const LandClass of : map.classes)
                set.soft.values_BCHW.push_back(static_cast<float>(of) - 1);
        return set;
    };
    const Report report = report_of({grey(towns(0, 4)), grey(towns(8, 4)), grey(towns(4, 4)), {}});
    for (const auto of : {&SoftOrStored::building, &SoftOrStored::road}) {
        CHECK((report.soft.*of).test > 0.05);
        CHECK((report.soft.*of).test == Approx((report.stored.*of).test));
        CHECK((report.soft.*of).set.plans == Approx((report.stored.*of).set.plans));
    }
}

TEST_CASE("real tiles are nearer to real ones than noise is, by every kind of figure") {
    const Report report = report_of({towns(200, 16), towns(0, 16), towns(100, 16), {}, {}});
    for (const auto* images : {&report.soft, &report.stored}) {
        CHECK(images->sliced.mean.train < 0.7 * images->sliced.mean.noise);
        REQUIRE(images->sliced.levels.size() == 2);
        CHECK(images->sliced.levels[0].pixels == 32);
        CHECK(images->sliced.mean.noise == Approx((images->sliced.levels[0].distance.noise +
                                                   images->sliced.levels[1].distance.noise) /
                                                  2));
        CHECK(images->building.set.noise == Approx(images->building.test));
        CHECK(images->road.set.noise == Approx(images->road.test));
    }
    CHECK(report.soft.difference.test == Approx(0.9 * report.stored.difference.test));
    for (const auto* key : {"building_np", "building_ai", "building_area", "road_length",
                            "road_largest", "block_count", "building_spacing", "spectrum_slope"}) {
        INFO(key);
        CHECK(row(report, key).apart.train.ks < row(report, key).apart.noise.ks);
        CHECK(row(report, key).apart.train.wasserstein < row(report, key).apart.noise.wasserstein);
    }
    CHECK(row(report, "building_pland").apart.noise.ks == 0);
    CHECK(report.mmd.train.squared < 0.5 * report.mmd.noise.squared);
    CHECK(report.mmd.noise.p == Approx(1 / 500.0));
    CHECK(report.mmd.train.p > 0.05);
}

TEST_CASE("copies of training tiles are told") {
    const PlanSet train = towns(100, 12);
    const Report report = report_of({train, towns(0, 12), train, {}, {}});
    CHECK(report.memorisation.plans == 0);
    CHECK(report.memorisation.nearer_share == 1);
    CHECK(report.memorisation.among == 12);
}

TEST_CASE("what no tile has is no number") {
    PlanSet empty = towns(0, 4);
    for (ClassMap& map : empty.stored)
        std::fill(map.classes.begin(), map.classes.end(), LandClass::other);
    empty.soft = one_hot(empty.stored);
    const Report report = report_of({empty, towns(0, 4), towns(100, 4), {}, {}});
    CHECK(std::isnan(row(report, "building_area").mean.plans));
    CHECK(std::isnan(row(report, "building_area").apart.plans.ks));
    CHECK_FALSE(std::isnan(row(report, "building_area").mean.train));
    CHECK(row(report, "building_count").mean.plans == 0);
    CHECK(std::isfinite(report.mmd.plans.squared));
    CHECK(report.mmd.plans.squared > 0.01);
}

TEST_CASE("sets that cannot be compared are refused") {
    CHECK_THROWS_WITH(report_of({towns(0, 3), towns(0, 4), towns(0, 4), {}, {}}),
                      Catch::Contains("cannot compare 3 images with 4"));
    PlanSet small = towns(0, 2);
    CHECK_THROWS_WITH(
        figures_of(ClassMap{8, 1, std::vector<LandClass>(64)}),
        Catch::Contains("8 pixels a side has too few") && Catch::Contains("at least 16"));
}
