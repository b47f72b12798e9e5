#include "civitas/quality/evaluation.hpp"

#include "civitas/random/stream.hpp"
#include "quality/distance.hpp"
#include "quality/pyramid.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

using namespace civitas;
using namespace civitas::quality;

namespace {

float at(const Channel& image, std::int64_t x, std::int64_t y) {
    return image.values[static_cast<std::size_t>(y * image.pixels + x)];
}

// Streets and houses, drawn anew for every image.
ImageSet towns(std::int64_t count, std::int64_t pixels, std::uint64_t seed) {
    ImageSet set{count, 3, pixels, {}};
    const std::int64_t area = pixels * pixels;
    for (std::int64_t i = 0; i < count; ++i) {
        const RandomStream random(Seed{seed}, Purpose::survey,
                                  {.minor = static_cast<std::uint64_t>(i)});
        const std::int64_t street = 4 + static_cast<std::int64_t>(random.below(8, 0));
        const std::int64_t start = static_cast<std::int64_t>(random.below(16, 1));
        std::vector<float> image(static_cast<std::size_t>(3 * area), -1.0F);
        for (std::int64_t k = 0; k < area; ++k) {
            const std::int64_t x = (k % pixels + start) % 24, y = (k / pixels + 2 * start) % 20;
            const bool is_road = x < street / 2 || y < 3;
            const bool is_house = !is_road && x > street && y > 6 &&
                                  random.below(10, static_cast<std::uint64_t>(k / 200 + 2)) > 2;
            image[static_cast<std::size_t>(k + (is_house ? 0 : is_road ? area : 2 * area))] = 1;
        }
        set.values_BCHW.insert(set.values_BCHW.end(), image.begin(), image.end());
    }
    return set;
}

ImageSet noise(const ImageSet& like) {
    ImageSet set = like;
    const RandomStream random(Seed{9}, Purpose::metric, {});
    random.fast_normals(0, set.values_BCHW);
    return set;
}

// Means of 4 x 4 pixels.
ImageSet blurred(ImageSet set) {
    const std::int64_t p = set.pixels;
    for (std::int64_t image = 0; image < set.count * set.channels; ++image) {
        float* v = &set.values_BCHW[static_cast<std::size_t>(image * p * p)];
        for (std::int64_t y = 0; y < p; y += 4)
            for (std::int64_t x = 0; x < p; x += 4) {
                float sum = 0;
                for (std::int64_t k = 0; k < 16; ++k) sum += v[(y + k / 4) * p + x + k % 4];
                for (std::int64_t k = 0; k < 16; ++k) v[(y + k / 4) * p + x + k % 4] = sum / 16;
            }
    }
    return set;
}

}  // namespace

TEST_CASE("the pyramid filter is the reflected binomial one") {
    Channel dot{4, std::vector<float>(16)};
    dot.values[0] = 256;
    // Row weights of pixel 0 at output 0 (taps at -2..2, reflected: 2 1 0 1 2) and 2 (taps at 0..4,
    // 4 reflected to 2): 6 and 1.
    const Channel small = shrunk(dot);
    REQUIRE(small.pixels == 2);
    CHECK(small.values == std::vector<float>{36, 6, 6, 1});

    Channel edge{4, std::vector<float>(16)};
    edge.values[1] =
        256;  // reached twice from output 0 (-1 and 1), once (1) from output 2, in row 0
    CHECK(shrunk(edge).values == std::vector<float>{48, 24, 8, 4});

    Channel corner{2, {64, 0, 0, 0}};
    // Up: zeros between; along a row from pixel 0: 2/16 x (6, 4, 1 + 0, 0) with the reflection of
    // position 4 (= 2, which is pixel 1) not touching it.
    const Channel large = enlarged(corner);
    REQUIRE(large.pixels == 4);
    const std::vector<float> row{6, 4, 1, 0};
    for (std::int64_t y = 0; y < 4; ++y)
        for (std::int64_t x = 0; x < 4; ++x)
            CHECK(at(large, x, y) ==
                  row[static_cast<std::size_t>(x)] * row[static_cast<std::size_t>(y)]);
    const Channel flat{8, std::vector<float>(64, 3.5F)};
    CHECK(shrunk(flat).values == std::vector<float>(16, 3.5F));
    CHECK(enlarged(flat).values == std::vector<float>(256, 3.5F));
}

TEST_CASE("levels go down to 16 pixels") {
    CHECK(pyramid_sizes(256) == std::vector<std::int64_t>{256, 128, 64, 32, 16});
    CHECK(pyramid_sizes(16) == std::vector<std::int64_t>{16});
    CHECK(pyramid_sizes(100) == std::vector<std::int64_t>{100, 50, 25});
}

TEST_CASE("the distance of points on a line is that of the sorted ones") {
    std::vector<float> a{3, -1, 0.5F, -0.25F, 1e-30F}, b{1, 2, -3, -0.5F, 0};
    // -1 -0.25 1e-30 0.5 3 against -3 -0.5 0 1 2: 2 + 0.25 + 0 + 0.5 + 1.
    CHECK(wasserstein_1d(a, b) == Approx(3.75 / 5));
    CHECK(std::is_sorted(a.begin(), a.end()));
    std::vector<float> moved(5000);
    RandomStream(Seed{3}, Purpose::metric, {}).fast_normals(0, moved);
    std::vector<float> original = moved;
    for (float& v : moved) v += 2;
    CHECK(wasserstein_1d(moved, original) == Approx(2).epsilon(1e-5));
    CHECK(std::is_sorted(original.begin(), original.end()));
}

TEST_CASE("a cloud shifted by v is at the mean |v . u| of unit vectors u") {
    constexpr std::int64_t dims = 147, points = 300;
    Cloud a{dims, points, std::vector<float>(dims * points)};
    const RandomStream random(Seed{5}, Purpose::metric, {});
    random.fast_normals(0, a.values);
    Cloud b = a;
    for (std::int64_t p = 0; p < points; ++p) b.values[static_cast<std::size_t>(p)] += 1;  // dim 0
    // E |u_0| on the unit sphere: Gamma(d/2) / (sqrt(pi) Gamma((d+1)/2)).
    const double expected = std::exp(std::lgamma(dims / 2.0) - std::lgamma((dims + 1) / 2.0)) /
                            std::sqrt(std::acos(-1.0));
    CHECK(sliced_distance(a, b, 4096, random) == Approx(expected).epsilon(0.04));
}

TEST_CASE("sliced Wasserstein orders what is more and less alike") {
    const ImageSet a = towns(24, 64, 1), b = towns(24, 64, 2);
    CHECK(sliced_wasserstein(a, a, Seed{1}) == 0);
    const double others = sliced_wasserstein(a, b, Seed{1});
    CHECK(others == sliced_wasserstein(b, a, Seed{1}));
    const double blur = sliced_wasserstein(b, blurred(a), Seed{1});
    const double random = sliced_wasserstein(b, noise(a), Seed{1});
    INFO("real " << others << ", blurred " << blur << ", noise " << random);
    CHECK(others > 0);
    CHECK(blur > 1.2 * others);
    CHECK(random > 1.5 * blur);
}

TEST_CASE("a level is what the next smaller one cannot show, the last one all that is left") {
    const ImageSet a = towns(8, 32, 1);
    ImageSet b = a;  // every other image is lighter
    const std::size_t image = 3 * 32 * 32;
    for (std::size_t i = 0; i < b.values_BCHW.size(); ++i)
        b.values_BCHW[i] += i / image % 2 == 0 ? 1.0F : 0.0F;
    const auto levels = sliced_wasserstein_by_level(a, b, Seed{1});
    REQUIRE(levels.size() == 2);
    CHECK(levels[0].distance < 0.01);
    CHECK(levels[1].distance > 10);
}

TEST_CASE("the scale of the values does not matter") {
    const ImageSet a = towns(8, 32, 1), b = blurred(towns(8, 32, 2));
    const auto as_bytes = [](ImageSet set) {
        for (float& v : set.values_BCHW) v = (v + 1) * 127.5F;
        return set;
    };
    CHECK(sliced_wasserstein(as_bytes(a), as_bytes(b), Seed{4}) ==
          Approx(sliced_wasserstein(a, b, Seed{4})).epsilon(1e-4));
    CHECK(sliced_wasserstein(as_bytes(a), a, Seed{4}) < 1e-2);
}

TEST_CASE("sets that cannot be compared are refused with both numbers") {
    CHECK_THROWS_WITH(sliced_wasserstein(towns(3, 16, 1), towns(2, 16, 1), Seed{1}),
                      Catch::Contains("cannot compare 3 images with 2. Hint: "));
    CHECK_THROWS_WITH(sliced_wasserstein(towns(2, 32, 1), towns(2, 16, 1), Seed{1}),
                      Catch::Contains("3 channels, 32 pixels with 3 channels, 16 pixels"));
    CHECK_THROWS_WITH(sliced_wasserstein(towns(2, 8, 1), towns(2, 8, 1), Seed{1}),
                      Catch::Contains("8 pixels are too small"));
}

TEST_CASE("pairwise difference and cover by hand") {
    ImageSet set{3, 1, 2, {-1, -1, -1, 1, -1, 1, 0, 1, 1, 1, -1, 1}};
    // |a-b| halved: places (0 0 1) -> 2/3, (0 1 1) -> 2/3, (0 .5 0) -> 1/3, (1 1 1) -> 0.
    CHECK(mean_pairwise_difference(set) == Approx((2.0 + 2.0 + 1.0) / 3 / 4));
    set.count = 1;
    set.values_BCHW.resize(4);
    CHECK(mean_pairwise_difference(set) == 0);
}

TEST_CASE("cover of a class by hand, of three channels and of one that is grey") {
    const ImageSet colour{2, 3, 1, {1, -1, 0, -0.5F, 0.5F, 1}};
    CHECK(mean_cover(colour, LandClass::building) == Approx((1 + 0.25) / 2));
    CHECK(mean_cover(colour, LandClass::road) == Approx((0 + 0.75) / 2));
    CHECK(mean_cover(colour, LandClass::other) == Approx((0.5 + 1) / 2));
    const ImageSet grey{3, 1, 2, {-1, -1, -1, 1, -1, 1, 0, 1, 1, 0.25F, -0.5F, 1}};
    CHECK(mean_cover(grey, LandClass::building) == Approx((1 + 2 + 2.25) / 12));
    CHECK(mean_cover(grey, LandClass::road) == Approx((0 + 1 + 1.25) / 12));
    CHECK(mean_cover(grey, LandClass::other) == Approx((3 + 1 + 0.5) / 12));
    for (const ImageSet& set : {towns(4, 32, 1), grey})
        CHECK(mean_cover(set, LandClass::building) + mean_cover(set, LandClass::road) +
                  mean_cover(set, LandClass::other) ==
              Approx(1));
}
