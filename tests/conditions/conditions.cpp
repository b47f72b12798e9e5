#include "civitas/conditions/conditions.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <map>

using namespace civitas;
using namespace civitas::conditions;

namespace {

/// 101 tiles with buildings from 0 to 0.5 and roads from 0.2 down to 0.1.
std::vector<Cover> tiles() {
    std::vector<Cover> tiles;
    for (int i = 0; i <= 100; ++i) tiles.push_back({i * 0.005, 0.2 - i * 0.001});
    return tiles;
}

Conditions by_cover() { return {scale_of(tiles()), tiles()}; }

}  // namespace

TEST_CASE("cover is told by shares in deviations from the mean of the training tiles") {
    const Conditions all = by_cover();
    CHECK(all.kind() == ConditionKind::cover);
    REQUIRE(all.size() == 2);
    // Of n equal steps d the deviation is d sqrt((n^2 - 1) / 12).
    const double steps = std::sqrt((101.0 * 101.0 - 1) / 12);
    const auto& [building, road] = all.scale();
    CHECK(building.mean == Approx(0.25));
    CHECK(building.deviation == Approx(0.005 * steps).margin(1e-6));
    CHECK(road.mean == Approx(0.15));
    CHECK(road.deviation == Approx(0.001 * steps).margin(1e-6));
    const auto c =
        all.numbers(Cover{building.mean - 3 * building.deviation, road.mean + 2 * road.deviation});
    const std::vector<double> expected{-3, 2};
    REQUIRE(c.size() == 2);
    for (std::size_t k = 0; k < c.size(); ++k) CHECK(c[k] == Approx(expected[k]));
}

TEST_CASE("tiles that are all alike have a scale, too") {
    const std::vector<Cover> alike(7, {0.25, 0.1});
    const auto c = Conditions(scale_of(alike), alike).numbers(Cover{0.25, 0.101});
    CHECK(c[0] == 0);
    CHECK(c[1] == Approx(1));
}

TEST_CASE("a source is one of its own number") {
    const Conditions all({"a", "b", "c"}, {1, 2, 3});
    CHECK(all.size() == 3);
    CHECK(all.numbers(Source{1}) == std::vector<double>{0, 1, 0});
    CHECK(Conditions().size() == 0);
    CHECK(Conditions().numbers({}).empty());
}

TEST_CASE("wishes that nobody says are those of training tiles, by the plan's number") {
    const Conditions cover = by_cover();
    double sum = 0;
    for (std::uint64_t plan = 0; plan < 2000; ++plan) {
        const auto wish = std::get<Cover>(cover.wish_of(Seed{3}, plan));
        CHECK(wish.road == Approx(0.2 - wish.building / 5));  // one tile's both shares
        sum += wish.building;
    }
    CHECK(sum / 2000 == Approx(0.25).margin(0.01));
    const auto again = std::get<Cover>(cover.wish_of(Seed{3}, 7));
    CHECK(again.building == std::get<Cover>(by_cover().wish_of(Seed{3}, 7)).building);

    const Conditions source({"a", "b", "c"}, {100, 0, 300});
    std::map<std::size_t, int> drawn;
    for (std::uint64_t plan = 0; plan < 2000; ++plan)
        ++drawn[static_cast<std::size_t>(std::get<Source>(source.wish_of(Seed{3}, plan)))];
    CHECK(drawn.size() == 2);
    CHECK(drawn[0] == Approx(500).margin(60));
    CHECK(drawn[2] == Approx(1500).margin(60));
    // Of two tiles each is drawn: the first is of the first source alone.
    const Conditions two({"a", "b", "c"}, {1, 0, 1});
    std::map<std::size_t, int> of_two;
    for (std::uint64_t plan = 0; plan < 40; ++plan)
        ++of_two[static_cast<std::size_t>(std::get<Source>(two.wish_of(Seed{3}, plan)))];
    CHECK((of_two.size() == 2 && of_two.count(0) == 1 && of_two.count(2) == 1));
    CHECK(std::holds_alternative<std::monostate>(Conditions().wish_of(Seed{1}, 0)));
}
