#include "civitas/base/random.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>
#include <vector>

using namespace civitas;

// Known answers of Random123 (kat_vectors, philox4x32 with 10 rounds).
TEST_CASE("philox 4x32-10 gives the published vectors") {
    CHECK(philox({0, 0}, {0, 0, 0, 0}) == Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
    CHECK(philox({0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}) ==
          Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
    CHECK(philox({0xa4093822, 0x299f31d0}, {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}) ==
          Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("element i does not depend on where drawing starts") {
    const RandomStream stream(Seed{7}, Purpose::latent, {3, 11});
    std::vector<double> all(101), part(50);
    stream.normals(0, all);
    stream.normals(37, part);
    CHECK(std::equal(part.begin(), part.end(), all.begin() + 37));
    std::vector<float> fast(301), fast_part(250);  // more than are drawn together
    stream.fast_normals(0, fast);
    stream.fast_normals(37, fast_part);
    CHECK(std::equal(fast_part.begin(), fast_part.end(), fast.begin() + 37));
}

TEST_CASE("a fast normal is made of the four bytes of its word") {
    const RandomStream stream(Seed{7}, Purpose::instance_noise, {3, 11});
    const std::uint64_t first = (std::uint64_t{1} << 34) - 31;  // both words of the counter change
    std::vector<float> drawn(200);
    stream.fast_normals(first, drawn);
    for (std::uint64_t k = 0; k < drawn.size(); ++k) {
        const std::uint32_t word = stream.block((first + k) / 4)[(first + k) % 4];
        double sum = 0;
        for (int byte = 0; byte < 4; ++byte) sum += (word >> (8 * byte)) & 255;
        CHECK(drawn[k] == Approx((sum - 510) / std::sqrt(65535.0 / 3)).epsilon(1e-6));
    }
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

TEST_CASE("normals have the moments of the normal distribution") {
    const RandomStream stream(Seed{1}, Purpose::metric, {});
    std::vector<double> exact(200000);
    stream.normals(0, exact);
    std::vector<float> fast(200000);
    stream.fast_normals(0, fast);
    const auto moment = [](const auto& values, int power) {
        double sum = 0;
        for (const auto v : values) sum += std::pow(static_cast<double>(v), power);
        return sum / static_cast<double>(values.size());
    };
    CHECK(moment(exact, 1) == Approx(0).margin(0.01));
    CHECK(moment(exact, 2) == Approx(1).margin(0.01));
    CHECK(moment(exact, 4) == Approx(3).margin(0.06));
    CHECK(moment(fast, 1) == Approx(0).margin(0.01));
    CHECK(moment(fast, 2) == Approx(1).margin(0.01));
    CHECK(moment(fast, 4) == Approx(2.7).margin(0.06));  // a sum of four uniforms: 3 - 6/5/4
}

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

TEST_CASE("below() stays below and reaches everything") {
    const RandomStream stream(Seed{1}, Purpose::symmetry, {});
    std::set<std::uint64_t> seen;
    for (std::uint64_t i = 0; i < 200; ++i) seen.insert(stream.below(8, i));
    CHECK(seen == std::set<std::uint64_t>{0, 1, 2, 3, 4, 5, 6, 7});
}
