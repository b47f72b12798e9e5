#include "civitas/quality/two_sample.hpp"

#include "civitas/random/stream.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace civitas;
using namespace civitas::quality;

namespace {

Points normal_points(std::size_t count, double shift, std::uint64_t number) {
    Points points{3, std::vector<double>(3 * count)};
    RandomStream(Seed{7}, Purpose::metric, {9, number}).normals(0, points.values);
    for (std::size_t i = 0; i < points.values.size(); i += 3) points.values[i] += shift;
    return points;
}

}  // namespace

TEST_CASE("the Kolmogorov-Smirnov statistic by hand") {
    CHECK(kolmogorov_smirnov({1, 2, 3}, {1, 2, 3}) == 0);
    CHECK(kolmogorov_smirnov({1, 2}, {3, 4, 5}) == 1);
    // Functions 1/2 at 1 and 1 at 3 against 1/4, 1/2, 3/4, 1 at 1, 2, 3, 4: most apart at 3.
    CHECK(kolmogorov_smirnov({3, 1}, {4, 2, 1, 3}) == Approx(0.25));
    // scipy.stats.ks_2samp([0, 0, 0, 1, 5], [0, 1, 1, 2]).statistic
    CHECK(kolmogorov_smirnov({0, 0, 0, 1, 5}, {0, 1, 1, 2}) == Approx(0.35));
    CHECK(kolmogorov_smirnov({0.1 + 0.2, 1}, {0.3, 1}) == 0);  // equal but for rounding
    CHECK(std::isnan(kolmogorov_smirnov({}, {1})));
    CHECK(std::isnan(kolmogorov_smirnov({1}, {})));
}

TEST_CASE("the Wasserstein distance by hand, for unequal counts too") {
    CHECK(wasserstein({1, 2, 3}, {3, 1, 2}) == 0);
    CHECK(wasserstein({0, 1, 3}, {5, 6, 8}) == Approx(5));  // as of scipy's documentation
    CHECK(wasserstein({0}, {-1, 1}) == Approx(1));
    // scipy.stats.wasserstein_distance([0, 0, 0, 1, 5], [0, 1, 1, 2])
    CHECK(wasserstein({0, 0, 0, 1, 5}, {0, 1, 1, 2}) == Approx(0.35 + 0.05 + 0.6));
    CHECK(std::isnan(wasserstein({}, {1})));
}

TEST_CASE("the mean discrepancy of three points by hand") {
    // Distances of 0 and 1 | 0 and 2: of squares 1, 0, 4, 1, 1, 4 the median is 1.
    const Points a{1, {0, 1}}, b{1, {0, 2}};
    const double near = std::exp(-0.5), far = std::exp(-2.0);
    CHECK(mmd(a, b, 9, Seed{1}).squared == Approx(near + far - 2 * (1 + far + near + near) / 4));
}

TEST_CASE("the kernel test tells samples of two distributions from those of one") {
    const Mmd same = mmd(normal_points(60, 0, 1), normal_points(50, 0, 2), 199, Seed{1});
    CHECK(std::abs(same.squared) < 0.02);
    CHECK(same.p > 0.05);
    const Mmd other = mmd(normal_points(60, 1.5, 1), normal_points(50, 0, 2), 199, Seed{1});
    CHECK(other.squared > 0.1);
    CHECK(other.p == Approx(1 / 200.0));
    const Points point{3, std::vector<double>(12, 1.0)};
    // The split that is observed and its mirror image are two of the six, or twenty, that there
    // are.
    for (const auto& [count, least] : {std::pair{2, 2 / 6.0}, {3, 2 / 20.0}})
        for (std::uint64_t seed = 1; seed < 9; ++seed) {
            const Points here = normal_points(count, 0, seed);
            const Points there = normal_points(count, 9, seed + 100);
            CHECK(mmd(here, there, 599, Seed{seed}).p == Approx(least).margin(0.2 * least));
        }
    CHECK(mmd(point, point, 19, Seed{1}).squared == 0);
    CHECK(mmd(point, point, 19, Seed{1}).p == 1);
}

TEST_CASE("p is spread evenly where there is no difference") {
    double sum = 0;
    int small = 0;
    constexpr int trials = 40;
    for (std::uint64_t i = 0; i < trials; ++i) {
        const double p =
            mmd(normal_points(20, 0, 100 + 2 * i), normal_points(20, 0, 101 + 2 * i), 39, Seed{1})
                .p;
        sum += p;
        if (p <= 0.1) ++small;
    }
    CHECK(sum / trials == Approx(0.5).margin(0.15));
    CHECK(small < trials / 4);
}
