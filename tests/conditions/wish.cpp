#include "civitas/conditions/wish.hpp"

#include "civitas/base/error.hpp"

#include <catch2/catch.hpp>

using namespace civitas;
using namespace civitas::conditions;
using Catch::Contains;

namespace {

Conditions by_cover() {
    const std::vector<Cover> tiles{{0.1, 0.1}, {0.2, 0.15}, {0.3, 0.2}};
    return {scale_of(tiles), tiles};
}

Conditions by_source() { return {{"suburb.gpkg", "old-town.gpkg", "old-town.gml"}, {1, 1, 1}}; }

Source like(const std::string& name) {
    return std::get<Source>(wish_in({.like = name}, by_source(), "x.h5"));
}

}  // namespace

TEST_CASE("a cover is two shares") {
    const auto wish = std::get<Cover>(wish_in({.cover = "0.25,0.125"}, by_cover(), "x.h5"));
    CHECK((wish.building == 0.25 && wish.road == 0.125));
    CHECK(to_text(wish, by_cover()) == "cover 0.25,0.125");
    for (const char* words : {"0.25", "0.25;0.1", "0.25,0.1,0.1", "0.25,", "a,b", "-0.1,0.2",
                              "0.2,1.5", "nan,0.1", "20,10"})
        CHECK_THROWS_WITH(check({.cover = words}),
                          Contains(words) && Contains("0 to 1") && Contains("--cover 0.25,0.15"));
    CHECK_THROWS_WITH(check({.cover = "0.6,0.5"}), Contains("together are 1.1 of a tile"));
    CHECK_THROWS_WITH(check({.cover = "0.2,0.1", .like = "a"}), Contains("both given"));
    CHECK_NOTHROW(check({.cover = "0,1"}));
    CHECK_NOTHROW(check({}));
}

TEST_CASE("a source is named with its ending, or without where that is enough") {
    CHECK(like("old-town.gml") == Source{2});
    CHECK(like("suburb") == Source{0});
    CHECK(to_text(Source{0}, by_source()) == "like suburb.gpkg");
    CHECK_THROWS_WITH(like("old-town"), Contains("x.h5 has learnt from no source of this name") &&
                                            Contains("Known are suburb.gpkg, old-town.gpkg"));
    CHECK_THROWS_WITH(like("suburb.gpk"), Contains("did you mean suburb.gpkg?"));
}

TEST_CASE("what a generator has not learnt it cannot be asked for") {
    CHECK_THROWS_WITH(wish_in({.cover = "0.2,0.1"}, {}, "x.h5"),
                      Contains("--cover: x.h5 was trained with --condition none") &&
                          Contains("a checkpoint of civitas train --condition cover"));
    CHECK_THROWS_WITH(wish_in({.cover = "0.2,0.1"}, by_source(), "x.h5"),
                      Contains("--condition source") && Contains("--like with the name"));
    CHECK_THROWS_WITH(wish_in({.like = "suburb"}, by_cover(), "x.h5"),
                      Contains("--condition cover") && Contains("--cover BUILDING,ROAD"));
    CHECK(std::holds_alternative<std::monostate>(wish_in({}, by_cover(), "x.h5")));
    CHECK(to_text({}, by_cover()) == "none");
}

TEST_CASE("a wish far from all tiles is warned of, with what they had") {
    CHECK(warning_of(Cover{0.22, 0.16}, by_cover()).empty());
    CHECK(warning_of(Source{0}, by_source()).empty());
    CHECK(warning_of({}, by_cover()).empty());
    CHECK_THAT(
        warning_of(Cover{0.6, 0.1}, by_cover()),
        Contains("0.60 of buildings and 0.10 of roads") &&
            Contains("0.10 to 0.30 and 0.10 to 0.20, the nearest of a sample 0.30 and 0.20"));
    // Both shares are within, but no tile has them together.
    CHECK_THAT(warning_of(Cover{0.1, 0.2}, by_cover()), Contains("far from what was learnt"));
}
