#include "civitas/base/rank_row.hpp"

#include <catch2/catch.hpp>
#include <vector>

using namespace civitas;

namespace {

RankRow row(const std::vector<int>& numbers) {
    std::vector<Rank> ranks;
    for (const int number : numbers) ranks.push_back(Rank{number});
    return row_of(ranks);
}

}  // namespace

TEST_CASE("ranks at equal distances are a row, others lie in one") {
    CHECK(row({}).empty());
    CHECK(row({5}) == row_of(Rank{5}));
    CHECK(row({1, 5, 9}) == RankRow{1, 4, 3});
    CHECK(row({0, 1, 5}) == RankRow{0, 1, 6});
    CHECK(row({3, 1}) == RankRow{1, 1, 3});
    CHECK(row({1, 5, 9}).contains(Rank{5}));
    CHECK_FALSE(row({1, 5, 9}).contains(Rank{6}));
    CHECK_FALSE(row({1, 5, 9}).contains(Rank{13}));
    CHECK_FALSE(row({}).contains(Rank{0}));
}

TEST_CASE("rows in words") {
    CHECK(to_string(row({})) == "no rank");
    CHECK(to_string(row({3})) == "rank 3");
    CHECK(to_string(row({0, 2})) == "ranks 0 and 2");
    CHECK(to_string(row({0, 1, 2})) == "ranks 0 to 2");
    CHECK(to_string(row({1, 3, 5})) == "ranks 1, 3 ... 5");
}
