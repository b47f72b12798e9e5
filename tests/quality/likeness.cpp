#include "civitas/quality/likeness.hpp"

#include "civitas/base/error.hpp"
#include "civitas/random/stream.hpp"

#include <catch2/catch.hpp>

using namespace civitas;
using namespace civitas::quality;

namespace {

/// Houses of so many pixels a side, at places of chance.
std::vector<ClassMap> town(std::int64_t house, std::uint64_t first, std::uint64_t count) {
    constexpr std::int64_t pixels = 32;
    std::vector<ClassMap> maps;
    for (std::uint64_t number = first; number < first + count; ++number) {
        const RandomStream random(Seed{3}, Purpose::survey, {.major = 1, .minor = number});
        const auto x0 = static_cast<std::int64_t>(random.below(8, 0));
        const auto y0 = static_cast<std::int64_t>(random.below(8, 1));
        ClassMap map{pixels, 4, {}};
        for (std::int64_t y = 0; y < pixels; ++y)
            for (std::int64_t x = 0; x < pixels; ++x) {
                const bool built = (x + x0) % (2 * house) < house && (y + y0) % (2 * house) < house;
                map.classes.push_back(built ? LandClass::building : LandClass::other);
            }
        maps.push_back(std::move(map));
    }
    return maps;
}

}  // namespace

TEST_CASE("plans like a town are nearer to its test tiles than to those of others") {
    // The plans of the second town are like the first.
    const std::vector<TownMaps> towns{{"a", town(2, 0, 12), town(2, 20, 12), town(2, 40, 12)},
                                      {"b", town(2, 60, 12), town(6, 20, 12), town(6, 40, 12)}};
    const auto found = distances_between(towns, Seed{1});
    REQUIRE(found.size() == 2);
    CHECK((found[0].town == "a" && found[1].town == "b"));
    REQUIRE(found[0].plans.size() == 2);
    CHECK(found[0].plans[0] < found[0].plans[1] / 3);
    CHECK(found[1].plans[0] < found[1].plans[1] / 3);
    for (std::size_t i = 0; i < 2; ++i) CHECK(found[i].train[i] < found[i].train[1 - i] / 3);
    // The distance is the one of all other figures.
    CHECK(found[1].plans[1] ==
          sliced_wasserstein(one_hot(towns[1].plans), one_hot(towns[1].test), Seed{1}));
    CHECK(found[0].train[1] ==
          sliced_wasserstein(one_hot(towns[0].train), one_hot(towns[1].test), Seed{1}));
    auto uneven = towns;
    uneven[1].train.pop_back();
    CHECK_THROWS(distances_between(uneven, Seed{1}));
}
