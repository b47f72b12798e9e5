#include "civitas/random/stream.hpp"
#include "civitas/random/permutation.hpp"

#include <catch2/catch.hpp>
#include <set>

using namespace civitas;

// Known answers of Random123 (kat_vectors, philox4x32 with 10 rounds).
TEST_CASE("philox 4x32-10 gives the published vectors") {
    CHECK(philox({0, 0}, {0, 0, 0, 0}) == Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
    CHECK(philox({0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}) ==
          Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
    CHECK(philox({0xa4093822, 0x299f31d0}, {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}) ==
          Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("every part of a stream's name matters") {
    const auto first = [](Seed s, Purpose p, StreamName n) {
        return RandomStream(s, p, n).uniform(0);
    };
    const std::set<double> values{first(Seed{1}, Purpose::latent, {0, 0}),
                                  first(Seed{2}, Purpose::latent, {0, 0}),
                                  first(Seed{1}, Purpose::weights, {0, 0}),
                                  first(Seed{1}, Purpose::latent, {1, 0}),
                                  first(Seed{1}, Purpose::latent, {0, 1}),
                                  first(Seed{1}, Purpose::latent, {1ULL << 40, 0}),
                                  first(Seed{1ULL << 40}, Purpose::latent, {0, 0})};
    CHECK(values.size() == 7);
}

TEST_CASE("below() stays below and reaches everything") {
    const RandomStream stream(Seed{1}, Purpose::symmetry, {});
    std::set<std::uint64_t> seen;
    for (std::uint64_t i = 0; i < 200; ++i) seen.insert(stream.below(8, i));
    CHECK(seen == std::set<std::uint64_t>{0, 1, 2, 3, 4, 5, 6, 7});
}
