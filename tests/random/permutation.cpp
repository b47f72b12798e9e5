#include "civitas/random/permutation.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <set>

using namespace civitas;

TEST_CASE("a permutation is a bijection of any size, and depends on its key") {
    const auto size = GENERATE(as<std::uint64_t>{}, 1, 2, 3, 5, 16, 17, 1000);
    const Permutation p(size, RandomStream(Seed{5}, Purpose::order, {0, 0}));
    const Permutation q(size, RandomStream(Seed{5}, Purpose::order, {1, 0}));
    std::set<std::uint64_t> seen;
    std::uint64_t same = 0;
    for (std::uint64_t i = 0; i < size; ++i) {
        seen.insert(p(i));
        same += p(i) == q(i);
    }
    CHECK(seen.size() == size);
    CHECK(*seen.rbegin() == size - 1);
    if (size == 1000) CHECK(same < 20);
}
