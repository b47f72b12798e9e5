#include "preprocess/images/area_average.hpp"
#include "made_images.hpp"
#include "support/temporary.hpp"

#include <cmath>

using namespace civitas;
using namespace civitas::images;
using namespace civitas::images::test_images;

namespace {

std::vector<std::uint8_t> image_of(std::int64_t side) {
    std::vector<std::uint8_t> rgb(static_cast<std::size_t>(side * side * channels));
    for (std::size_t i = 0; i < rgb.size(); ++i) rgb[i] = static_cast<std::uint8_t>(i * i * 13);
    return rgb;
}

std::vector<std::uint8_t> averaged(const std::vector<std::uint8_t>& rgb, std::int64_t from,
                                   std::int64_t to) {
    AreaAverage average(from, to);
    const auto row = static_cast<std::size_t>(from * channels);
    for (std::size_t y = 0; y < static_cast<std::size_t>(from); ++y)
        average.add(std::span(rgb).subspan(y * row, row));
    std::vector<std::uint8_t> small(static_cast<std::size_t>(to * to * channels));
    average.write(small);
    return small;
}

/// How much of [k, k + 1) / to lies in [i, i + 1) / from, as a share of the former.
double share(std::int64_t k, std::int64_t to, std::int64_t i, std::int64_t from) {
    const double a = static_cast<double>(to), b = static_cast<double>(from);
    const double begin = std::max(static_cast<double>(k) / a, static_cast<double>(i) / b);
    const double end = std::min(static_cast<double>(k + 1) / a, static_cast<double>(i + 1) / b);
    return std::max(0.0, end - begin) * a;
}

/// The integral over a pixel's ground, term by term.
double integral(const std::vector<std::uint8_t>& rgb, std::int64_t from, std::int64_t to,
                std::int64_t y, std::int64_t x, std::int64_t c) {
    double sum = 0;
    for (std::int64_t v = 0; v < from; ++v)
        for (std::int64_t u = 0; u < from; ++u)
            sum += share(y, to, v, from) * share(x, to, u, from) *
                   rgb[static_cast<std::size_t>((v * from + u) * channels + c)];
    return sum;
}

}  // namespace

TEST_CASE("averages are integrals over the ground of a pixel, rounded to the nearest") {
    for (const auto& [from, to] : {std::pair{9, 4}, {10, 7}, {3, 8}, {7, 7}, {5, 1}}) {
        const auto rgb = image_of(from);
        const auto small = averaged(rgb, from, to);
        for (std::int64_t i = 0; i < std::ssize(small); ++i) {
            const double exact =
                integral(rgb, from, to, i / channels / to, i / channels % to, i % channels);
            CHECK(std::abs(small[static_cast<std::size_t>(i)] - exact) <= 0.5 + 1e-9);
        }
    }
    CHECK(averaged(image_of(7), 7, 7) == image_of(7));
}

TEST_CASE("halves are rounded up, and nothing is lost over a large white image") {
    CHECK(averaged({0, 1, 2, 1, 2, 3, 0, 1, 2, 1, 2, 3}, 2, 1) ==
          std::vector<std::uint8_t>{1, 2, 3});
    constexpr std::int64_t wide = 5000;
    AreaAverage average(wide, 3);
    const std::vector<std::uint8_t> white(static_cast<std::size_t>(wide * channels), 255);
    std::vector<std::uint8_t> rgb(27);
    for (std::int64_t y = 0; y < wide; ++y) average.add(white);
    average.write(rgb);
    CHECK(rgb == std::vector<std::uint8_t>(27, 255));
    CHECK_THROWS_WITH(average.add(white), Catch::Contains("rows are those of the image"));
}

TEST_CASE("where pixels are whole blocks GDAL averages to the same bytes") {
    const civitas::test::TemporaryFolder folder("area-average");
    const fs::path file = folder.path() / "a.png";
    for (const int factor : {1, 2, 3, 5}) {
        write_image(file, {16 * factor, 16 * factor, 3});
        maps::Gdal gdal;
        std::vector<std::uint8_t> rgb(16 * 16 * 3);
        const maps::Dataset image(GDALDataset::Open(file.c_str(), GDAL_OF_RASTER));
        std::vector<std::uint8_t> whole(rgb.size() * static_cast<std::size_t>(factor * factor));
        std::array<int, 3> bands{1, 2, 3};
        const int side = 16 * factor;
        REQUIRE(image->RasterIO(GF_Read, 0, 0, side, side, whole.data(), side, side, GDT_Byte, 3,
                                bands.data(), 3, 3 * side, 1, nullptr) == CE_None);
        CHECK(averaged(whole, side, 16) == gdals_own(file, 16));
    }
}
