#include "preprocess/vectorize/figures.hpp"

#include "preprocess/vectorize/command.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace civitas::vectorize;
using Catch::Matchers::Contains;

TEST_CASE("Tiles are chosen by numbers and ranges") {
    CHECK(selected_tiles("all", 3) == std::vector<std::int64_t>{0, 1, 2});
    CHECK(selected_tiles("4,0-2,1", 5) == std::vector<std::int64_t>{0, 1, 2, 4});
    CHECK_THROWS_WITH(selected_tiles("", 3), Contains("names no tile"));
    CHECK_THROWS_WITH(selected_tiles("2-1", 3), Contains("names no tile"));
    CHECK_THROWS_WITH(selected_tiles("0,2-1", 3),
                      Contains("the range 2-1 names no tile. Hint: --tiles 1-2"));
    CHECK_THROWS_WITH(selected_tiles("all", 0), Contains("no tiles"));
}

TEST_CASE("The table has a line for each of the first tiles and one of totals") {
    std::vector<TileFigures> tiles(30);
    for (std::size_t i = 0; i < tiles.size(); ++i) {
        tiles[i].tile = static_cast<std::int64_t>(i);
        tiles[i].building_share = 0.25;
        tiles[i].buildings = 4;
        tiles[i].mean_building = 100;
    }
    const auto table = table_text(tiles, 20);
    CHECK(std::count(table.begin(), table.end(), '\n') == 2 + 20 + 1 + 1);
    CHECK_THAT(table,
               Contains("... 10 more") && Contains("all       25.0") && Contains("120     100.0"));
}
