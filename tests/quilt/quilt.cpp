#include "civitas/quilt/quilt.hpp"

#include "civitas/base/symmetry.hpp"
#include "civitas/random/stream.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace civitas;
using namespace civitas::quilt;

namespace {

constexpr std::int64_t channels = 2;

std::uint8_t random_byte(std::uint64_t stream, std::int64_t i) {
    const RandomStream random(Seed{6}, Purpose::metric, {2, stream});
    return static_cast<std::uint8_t>(random.below(256, static_cast<std::uint64_t>(i)));
}

/// A picture of chance that a layout covers.
Picture chance(std::int64_t height, std::int64_t width) {
    Picture picture{channels, height, width, {}};
    for (std::int64_t i = 0; i < channels * height * width; ++i)
        picture.values_CHW.push_back(random_byte(0, i));
    return picture;
}

std::uint8_t at(const Picture& picture, std::int64_t c, std::int64_t y, std::int64_t x) {
    return picture
        .values_CHW[static_cast<std::size_t>((c * picture.height + y) * picture.width + x)];
}

/// Adds the window of a picture whose corner is (y, x) so that `turn` makes it again.
void add_window(Images& images, const Picture& picture, std::int64_t y, std::int64_t x,
                Symmetry turn) {
    const std::int64_t n = images.side, begin = std::ssize(images.values_BCHW);
    images.values_BCHW.resize(images.values_BCHW.size() +
                              static_cast<std::size_t>(channels * n * n));
    for (std::int64_t c = 0; c < channels; ++c)
        for (std::int64_t v = 0; v < n; ++v)
            for (std::int64_t u = 0; u < n; ++u)
                images.values_BCHW[static_cast<std::size_t>(
                    begin + c * n * n + cell_at(v, u, n, turn))] = at(picture, c, y + v, x + u);
    ++images.count;
}

}  // namespace

TEST_CASE("patches cut out of a picture give the picture again", "[quilt]") {
    const Layout layout{{3, 2}, 12, 4};
    REQUIRE(layout.patches().columns == 4);
    REQUIRE(layout.patches().rows == 3);
    const Picture whole = chance(3 * layout.step() + 4, 4 * layout.step() + 4);
    Images images{0, channels, layout.side, {}};
    add_window(images, whole, 0, 0, Symmetry::identity);
    // The others from the last to the first, each turned in another way, between images of chance.
    std::vector<std::int64_t> expected(12);
    for (std::int64_t patch = 11; patch > 0; --patch) {
        for (std::int64_t i = 0; i < channels * 12 * 12; ++i)
            images.values_BCHW.push_back(random_byte(static_cast<std::uint64_t>(patch), i));
        ++images.count;
        expected[static_cast<std::size_t>(patch)] = images.count;
        add_window(images, whole, patch / 4 * layout.step(), patch % 4 * layout.step(),
                   Symmetry{static_cast<std::uint8_t>(patch % symmetry_count)});
    }
    int laid = 0;
    const Quilt made = quilt::quilt(images, layout, [&] { ++laid; });
    CHECK(laid == 12);
    CHECK(made.images == expected);
    CHECK(made.overlap_error == 0);
    REQUIRE(made.picture.height == 24);
    REQUIRE(made.picture.width == 36);
    std::int64_t wrong = 0;
    for (std::int64_t c = 0; c < channels; ++c)
        for (std::int64_t y = 0; y < 24; ++y)
            for (std::int64_t x = 0; x < 36; ++x)
                wrong += at(made.picture, c, y, x) == at(whole, c, y, x) ? 0 : 1;
    CHECK(wrong == 0);
}

TEST_CASE("a patch is cut where it differs least from the one before", "[quilt]") {
    // East of the first image lie columns of 50 and 90. The second image, as it is, has 60 and 90
    // there, and nothing fits better: so 90 is where it begins.
    Images images{2, 1, 4, {}};
    for (int y = 0; y < 4; ++y)
        for (const int value : {0, 0, 50, 90})
            images.values_BCHW.push_back(static_cast<std::uint8_t>(value));
    for (int y = 0; y < 4; ++y)
        for (const int value : {60, 90, 200, 201 + y})
            images.values_BCHW.push_back(static_cast<std::uint8_t>(value));
    const Layout layout{{1, 1}, 4, 2};
    CHECK(quilt::quilt(images, layout, [] {}).images == std::vector<std::int64_t>{0});
    images.values_BCHW.insert(images.values_BCHW.end(), 16, 255);
    ++images.count;
    const Quilt made = quilt::quilt(images, {{2, 1}, 4, 2}, [] {});
    REQUIRE(made.images == std::vector<std::int64_t>{0, 1, 2});
    for (std::int64_t y = 0; y < 4; ++y) {
        CHECK(at(made.picture, 0, y, 2) == 50);
        CHECK(at(made.picture, 0, y, 3) == 90);
        CHECK(at(made.picture, 0, y, 4) == 200);
    }
    // Of the second 4 x 10^2, of the third 4 x 55^2 and 54^2 + 53^2 + 52^2 + 51^2, over 16 pixels.
    CHECK(made.overlap_error == Approx((400 + 12100 + 11030) / 16.0));
    Images across = images;
    for (std::size_t i = 0; i < 48; ++i)
        across.values_BCHW[i / 16 * 16 + i % 4 * 4 + i / 4 % 4] = images.values_BCHW[i];
    const Quilt south = quilt::quilt(across, {{1, 2}, 4, 2}, [] {});
    REQUIRE(south.images == made.images);
    for (std::int64_t y = 0; y < 8; ++y)
        for (std::int64_t x = 0; x < 4; ++x)
            CHECK(at(south.picture, 0, y, x) == at(made.picture, 0, x, y));
}

TEST_CASE("a patch fits by its error beside what varies, each image once", "[quilt]") {
    // Against a chessboard of 0 and 100 a grey of 50 is wrong by 50 everywhere, one of 60 and 160
    // by 60: 2500 / 2500 is more than 3600 / (2500 + 2500).
    Images images{3, 1, 4, {}};
    for (const int black : {0, 50, 60})
        for (int i = 0; i < 16; ++i)
            images.values_BCHW.push_back(
                static_cast<std::uint8_t>(black + (black != 50 && (i / 4 + i) % 2 == 1 ? 100 : 0)));
    CHECK(quilt::quilt(images, {{2, 1}, 4, 2}, [] {}).images == std::vector<std::int64_t>{0, 2, 1});
}

TEST_CASE("a layout has the fewest patches that cover its tiles", "[quilt]") {
    for (const std::int64_t tiles : {1, 2, 3, 4, 7, 40})
        for (const std::int64_t overlap : {1, 5, 12, 32}) {
            const Layout layout{{tiles, 1}, 64, overlap};
            const std::int64_t patches = layout.patches().columns;
            CHECK(patches * layout.step() + overlap >= tiles * 64);
            CHECK((patches - 1) * layout.step() + overlap < tiles * 64);
            CHECK(layout.patches().rows == 1);
        }
}
