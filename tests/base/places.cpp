#include "civitas/base/places.hpp"

#include "civitas/base/error.hpp"

#include <catch2/catch.hpp>

using namespace civitas;

TEST_CASE("what stays free lies together") {
    Places places(100);
    CHECK(places.find(100) == Range{0, 100});
    CHECK_FALSE(places.find(101));
    const auto taken = [&](std::int64_t count) {
        const Range place = places.find(count).value();
        places.take(place);
        return place;
    };
    const Range first = taken(30), second = taken(20), third = taken(10);
    CHECK(first == Range{0, 30});
    CHECK(second == Range{80, 20});  // beside the wall
    CHECK(third == Range{70, 10});   // beside the one that came later
    CHECK(places.longest_free() == 40);
    places.release(first);
    CHECK(places.longest_free() == 70);
    CHECK(taken(70) == Range{0, 70});
    CHECK_FALSE(places.find(1));
    places.release(third);
    CHECK(places.find(10) == Range{70, 10});
    CHECK_FALSE(places.find(11));
    places.clear();
    CHECK(places.find(100) == Range{0, 100});
}

TEST_CASE("the shortest stretch that is long enough is taken") {
    Places places(100);
    for (const Range place : {Range{20, 10}, Range{45, 10}}) places.take(place);
    CHECK(places.find(15) == Range{30, 15});
    CHECK(places.find(16) == Range{0, 16});
    CHECK(places.find(21) == Range{79, 21});
}

TEST_CASE("a place is taken once, and released once") {
    Places places(40);
    places.take({10, 10});
    CHECK_THROWS_AS(places.take({5, 6}), Error);
    CHECK_THROWS_AS(places.take({19, 1}), Error);
    CHECK_THROWS_AS(places.take({39, 2}), Error);
    CHECK_NOTHROW(places.take({20, 1}));
    CHECK_NOTHROW(places.take({0, 10}));
    CHECK_THROWS_AS(places.release({10, 9}), Error);
}

TEST_CASE("two at a time need the room of two neighbours, however they grow and shrink") {
    std::vector<PlaceUse> uses;
    const std::vector<std::int64_t> counts{10, 30, 20, 70, 90, 40, 80, 5};
    for (std::size_t i = 0; i < counts.size(); ++i) {
        uses.push_back({i, counts[i]});
        if (i > 0) uses.push_back({i - 1, 0, false});
    }
    CHECK(room_of(uses) == 70 + 90);
    CHECK(room_of({}) == 0);
}

TEST_CASE("a room grows by what is lacking where what is free does not lie together") {
    // 10 at each end and 10 between them, of which those at the ends go.
    const std::vector<PlaceUse> uses{{0, 10},       {1, 10},       {2, 10}, {3, 10},
                                     {0, 0, false}, {2, 0, false}, {4, 20}};
    CHECK(room_of(uses) >= 40);
    CHECK(room_of(uses) <= 50);
}
