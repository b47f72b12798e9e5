#include "image_file.hpp"

#include "area_average.hpp"
#include "civitas/base/error.hpp"
#include "civitas/io/file_format.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

namespace civitas::images {
namespace {

namespace fs = std::filesystem;

constexpr const char* strict_jpeg = "GDAL_ERROR_ON_LIBJPEG_WARNING";
constexpr int most_side = 1 << 15;

/// The square in the middle of an image.
struct Square {
    int left = 0;
    int top = 0;
    int side = 0;
};

Square middle_of(GDALDataset& image) {
    const int width = image.GetRasterXSize(), height = image.GetRasterYSize();
    const int side = std::min(width, height);
    return {(width - side) / 2, (height - side) / 2, side};
}

/// Why an image that opens is none of those that are read; empty: it is.
Fault kind_fault(GDALDataset& image) {
    const int width = image.GetRasterXSize(), height = image.GetRasterYSize();
    const int bands = image.GetRasterCount();
    if (std::max(width, height) > most_side)
        return {text("images of more than ", most_side, " pixels a side"),
                text(width, " x ", height)};
    if (bands < 1 || bands > 4) return {"images of no known kind", text(bands, " channels")};
    if (image.GetRasterBand(1)->GetRasterDataType() != GDT_Byte)
        return {"images of more than 8 bits a channel",
                GDALGetDataTypeName(image.GetRasterBand(1)->GetRasterDataType())};
    return {};
}

/// What a byte of the only band means, by channel.
using Palette = std::array<std::array<std::uint8_t, 256>, channels>;

/// Grey values of less than 8 bits, white the highest.
std::unique_ptr<Palette> few_greys(int bits) {
    const int white = (1 << bits) - 1;
    auto palette = std::make_unique<Palette>();
    for (auto& channel : *palette)
        for (int i = 0; i <= white; ++i)
            channel[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(255 * i / white);
    return palette;
}

/// Nothing for an image whose bytes are what they are.
std::unique_ptr<Palette> palette_of(GDALDataset& image) {
    GDALRasterBand& band = *image.GetRasterBand(1);
    const GDALColorTable* table = band.GetColorTable();
    if (image.GetRasterCount() > 2) return nullptr;
    if (table == nullptr) {
        const char* bits = band.GetMetadataItem("NBITS", "IMAGE_STRUCTURE");
        const int few = bits == nullptr ? 0 : std::atoi(bits);
        return few > 0 && few < 8 ? few_greys(few) : nullptr;
    }
    auto palette = std::make_unique<Palette>();
    for (int i = 0; i < std::min(256, table->GetColorEntryCount()); ++i) {
        const GDALColorEntry* e = table->GetColorEntry(i);
        const auto at = static_cast<std::size_t>(i);
        (*palette)[0][at] = static_cast<std::uint8_t>(e->c1);
        (*palette)[1][at] = static_cast<std::uint8_t>(e->c2);
        (*palette)[2][at] = static_cast<std::uint8_t>(e->c3);
    }
    return palette;
}

/// Reads one row of the square, three channels a pixel.
bool read_row(GDALDataset& image, const Square& square, int row, std::span<std::uint8_t> rgb) {
    const bool colours = image.GetRasterCount() > 2;
    std::array<int, channels> bands{1, colours ? 2 : 1, colours ? 3 : 1};
    return image.RasterIO(GF_Read, square.left, square.top + row, square.side, 1, rgb.data(),
                          square.side, 1, GDT_Byte, channels, bands.data(), channels,
                          channels * square.side, 1, nullptr) == CE_None;
}

void recolour(const Palette& palette, std::span<std::uint8_t> rgb) {
    for (std::size_t i = 0; i < rgb.size(); ++i) rgb[i] = palette[i % channels][rgb[i]];
}

}  // namespace

bool is_image(const fs::path& file) {
    const std::string ending = io::extension_of(file);
    return ending == ".png" || ending == ".jpg" || ending == ".jpeg";
}

ImageReader::ImageReader(maps::Gdal& gdal) : gdal_(gdal) {
    CPLSetThreadLocalConfigOption(strict_jpeg, "YES");
}

ImageReader::~ImageReader() { CPLSetThreadLocalConfigOption(strict_jpeg, nullptr); }

Fault ImageReader::read(const fs::path& file, std::int64_t pixels, std::span<std::uint8_t> rgb) {
    const Fault unreadable{"images that cannot be read", ""};
    static_cast<void>(gdal_.take_messages());
    const std::array<const char*, 3> drivers{"PNG", "JPEG", nullptr};
    const maps::Dataset image(
        GDALDataset::Open(file.c_str(), GDAL_OF_RASTER | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR,
                          drivers.data(), nullptr, nullptr));
    if (!image) return {unreadable.reason, gdal_.last_words()};
    if (Fault fault = kind_fault(*image); fault.any()) return fault;
    const Square square = middle_of(*image);
    const auto palette = palette_of(*image);
    AreaAverage average(square.side, pixels);
    std::vector<std::uint8_t> row(static_cast<std::size_t>(square.side * channels));
    for (int y = 0; y < square.side; ++y) {
        if (!read_row(*image, square, y, row)) return {unreadable.reason, gdal_.last_words()};
        if (palette) recolour(*palette, row);
        average.add(row);
    }
    average.write(rgb);
    return {};
}

}  // namespace civitas::images
