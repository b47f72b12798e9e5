#include "civitas/base/first_fit.hpp"

#include "civitas/base/error.hpp"

#include <catch2/catch.hpp>

using namespace civitas;

TEST_CASE("the first place that is large enough is given") {
    FirstFit places;
    for (const Range place : {Range{0, 10}, Range{10, 20}, Range{30, 5}}) {
        CHECK(places.find(place.count) == place);
        places.take(place);
    }
    places.release({10, 20});
    CHECK(places.find(20) == Range{10, 20});
    CHECK(places.find(21) == Range{35, 21});
    places.take(places.find(8));
    CHECK(places.find(12) == Range{18, 12});
    places.release({0, 10});
    CHECK(places.find(10) == Range{0, 10});
    CHECK(places.room() == 35);
    places.clear();
    CHECK(places.find(100) == Range{0, 100});
    CHECK(places.room() == 35);
}

TEST_CASE("a place is taken once, and released once") {
    FirstFit places;
    places.take({10, 10});
    CHECK_THROWS_AS(places.take({5, 6}), Error);
    CHECK_THROWS_AS(places.take({19, 1}), Error);
    CHECK_NOTHROW(places.take({20, 1}));
    CHECK_NOTHROW(places.take({0, 10}));
    CHECK_THROWS_AS(places.release({10, 9}), Error);
}
