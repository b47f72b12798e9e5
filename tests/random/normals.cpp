#include "civitas/base/hash.hpp"
#include "civitas/random/stream.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>
#include <vector>

using namespace civitas;

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

TEST_CASE("normals are those of Box and Muller by the functions of the C library") {
    const RandomStream stream(Seed{7}, Purpose::weights, {3, 11});
    std::vector<double> drawn(20001);
    stream.normals(0, drawn);
    for (std::uint64_t i = 0; i < drawn.size(); ++i) {
        const double radius = std::sqrt(-2 * std::log(stream.uniform(2 * (i / 2))));
        const double angle = 2 * std::numbers::pi * stream.uniform(2 * (i / 2) + 1);
        const double normal = radius * (i % 2 == 0 ? std::cos(angle) : std::sin(angle));
        CHECK(drawn[i] == Approx(normal).margin(1e-14).epsilon(0));
    }
}

TEST_CASE("normals have the same bits on every processor") {
    std::vector<double> drawn(std::size_t{1} << 16);
    RandomStream(Seed{1}, Purpose::weights, {}).normals(0, drawn);
    CHECK(hex(checksum(0, drawn)) == "04262972bfe2a558");
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
