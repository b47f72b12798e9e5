#include "civitas/base/tree.hpp"
#include "civitas/base/hash.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace civitas;

namespace {

std::string drawn(std::int64_t n) {
    return tree_sum(
        0, n, [](std::int64_t i) { return std::to_string(i); },
        [](const std::string& a, const std::string& b) { return "(" + a + b + ")"; });
}

/// The same tree by a binary counter.
std::string counted(std::int64_t n) {
    std::vector<std::string> live;
    const auto merge = [&] {
        const std::string right = live.back();
        live.pop_back();
        live.back() = "(" + live.back() + right + ")";
    };
    for (std::int64_t i = 0; i < n; ++i) {
        live.push_back(std::to_string(i));
        CHECK(static_cast<int>(live.size()) <= tree_depth(n));
        for (int k = 0; k < tree_merges(i); ++k) merge();
    }
    while (live.size() > 1) merge();
    return live.front();
}

}  // namespace

TEST_CASE("the tree splits at the largest power of two below the length") {
    CHECK(drawn(1) == "0");
    CHECK(drawn(3) == "((01)2)");
    CHECK(drawn(6) == "(((01)(23))(45))");
    CHECK(drawn(8) == "(((01)(23))((45)(67)))");
}

TEST_CASE("a binary counter makes the same tree") {
    for (std::int64_t n = 1; n <= 9; ++n) CHECK(counted(n) == drawn(n));
}

TEST_CASE("shares of a power of two terms make the tree of all, whatever their number") {
    const auto in_shares = [](std::int64_t shares, std::int64_t each) {
        const auto one = [](std::int64_t i) { return std::to_string(i); };
        const auto both = [](const std::string& a, const std::string& b) {
            return "(" + a + b + ")";
        };
        return tree_sum(
            0, shares, [&](std::int64_t s) { return tree_sum(s * each, each, one, both); }, both);
    };
    for (const std::int64_t each : {1, 2, 4, 8})
        for (std::int64_t shares = 1; shares <= 9; ++shares)
            CHECK(in_shares(shares, each) == drawn(shares * each));
    CHECK(in_shares(2, 3) != drawn(6));
}

TEST_CASE("checksums of parts add up to the checksum of the whole") {
    std::vector<float> values(100);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) * 0.37F;
    const std::span<const float> all(values);
    CHECK(checksum(0, all) == checksum(0, all.first(31)) + checksum(31, all.subspan(31)));
    auto swapped = values;
    std::swap(swapped[3], swapped[4]);
    CHECK(checksum(0, std::span<const float>(swapped)) != checksum(0, all));
}
