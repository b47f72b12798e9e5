#pragma once
// Images written by GDAL, and what it reads of them.
#include "civitas/base/error.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/data/tile_store.hpp"
#include "civitas/io/files.hpp"
#include "preprocess/images/command.hpp"
#include "preprocess/maps/gdal.hpp"

#include "support/agree.hpp"
#include "support/shared_folder.hpp"

#include <array>
#include <filesystem>
#include <string>
#include <vector>

namespace civitas::images::test_images {

namespace fs = std::filesystem;
using comm::Communicator;

struct MadeImage {
    int width = 16, height = 16, bands = 3;
    GDALDataType type = GDT_Byte;
    bool palette = false;
    int seed = 1;
    int bits = 8;
};

/// Smooth, so that JPEG keeps something of it, and different in each band.
inline std::vector<std::uint16_t> band_of(const MadeImage& image, int band) {
    std::vector<std::uint16_t> values;
    for (int y = 0; y < image.height; ++y)
        for (int x = 0; x < image.width; ++x)
            values.push_back(static_cast<std::uint16_t>((7 * x * band + 5 * y + 31 * image.seed) %
                                                        (1 << image.bits)));
    return values;
}

inline GDALDriver& driver(const char* name) {
    GDALAllRegister();
    return *GetGDALDriverManager()->GetDriverByName(name);
}

/// Writes a PNG or JPEG, whatever its ending says.
inline void write_image(const fs::path& file, const MadeImage& made, const char* format = "PNG") {
    fs::create_directories(file.parent_path());
    const maps::QuietGdal quiet;
    const maps::Dataset memory(
        driver("MEM").Create("", made.width, made.height, made.bands, made.type, nullptr));
    for (int b = 1; b <= made.bands; ++b) {
        auto values = band_of(made, b);
        if (memory->GetRasterBand(b)->RasterIO(GF_Write, 0, 0, made.width, made.height,
                                               values.data(), made.width, made.height, GDT_UInt16,
                                               0, 0, nullptr) != CE_None)
            throw Error("the test cannot make its image");
    }
    if (made.palette) {
        GDALColorTable table;
        for (short i = 0; i < 256; ++i) {
            const GDALColorEntry entry{static_cast<short>(255 - i), static_cast<short>(i / 2),
                                       static_cast<short>(i * 7 % 256), 255};
            table.SetColorEntry(i, &entry);
        }
        memory->GetRasterBand(1)->SetColorTable(&table);
    }
    CPLStringList options;
    if (std::string(format) == "JPEG") options.SetNameValue("QUALITY", "90");
    if (made.bits < 8) options.SetNameValue("NBITS", std::to_string(made.bits).c_str());
    const maps::Dataset written(
        driver(format).CreateCopy(file.c_str(), memory.get(), 0, options.List(), nullptr, nullptr));
    if (!written) throw Error("the test cannot write its image");
}

/// Red, green and blue of the square in the middle, as GDAL itself reads and averages it.
inline std::vector<std::uint8_t> gdals_own(const fs::path& file, int pixels) {
    driver("PNG");
    const maps::Dataset image(GDALDataset::Open(file.c_str(), GDAL_OF_RASTER));
    if (!image) throw Error("GDAL cannot read " + file.string());
    const int width = image->GetRasterXSize(), height = image->GetRasterYSize();
    const int side = std::min(width, height);
    const bool colours = image->GetRasterCount() > 2;
    std::array<int, 3> bands{1, colours ? 2 : 1, colours ? 3 : 1};
    GDALRasterIOExtraArg how;
    INIT_RASTERIO_EXTRA_ARG(how);
    how.eResampleAlg = GRIORA_Average;
    std::vector<std::uint8_t> rgb(static_cast<std::size_t>(pixels * pixels * 3));
    if (image->RasterIO(GF_Read, (width - side) / 2, (height - side) / 2, side, side, rgb.data(),
                        pixels, pixels, GDT_Byte, 3, bands.data(), 3, 3 * pixels, 1,
                        &how) != CE_None)
        throw Error("GDAL cannot average " + file.string());
    return rgb;
}

inline void write_text(const fs::path& file, const std::string& content) {
    fs::create_directories(file.parent_path());
    io::write_text_file(file, content);
}

/// On the first rank alone; all wait.
template <class Act>
void by_root(const Communicator& ranks, Act&& act) {
    comm::agree(ranks, [&] {
        if (ranks.is_root()) act();
    });
}

/// As the command line says it.
inline maps::Settings settings_of(std::vector<std::string> words) {
    words.insert(words.begin(), "civitas-preprocess");
    std::vector<const char*> pointers;
    for (const std::string& word : words) pointers.push_back(word.c_str());
    return maps::read_settings(static_cast<int>(pointers.size()), pointers.data());
}

/// Makes a store and opens it.
inline data::TileStore store_of(const Communicator& ranks, const maps::Settings& settings) {
    Log log(Rank{1});
    preprocess_images(ranks, settings, log);
    return data::TileStore::open(ranks, settings.output);
}

/// What is said of images that are refused.
inline std::string refusal_of(const Communicator& ranks, const maps::Settings& settings) {
    try {
        static_cast<void>(store_of(ranks, settings));
    } catch (const AgreedError& e) {
        return e.what();
    }
    return "read";
}

inline std::vector<std::uint8_t> bytes_of(const data::TileStore& store, std::int64_t tile) {
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(store.header().tile_bytes()));
    store.read(TileIndex{tile}, bytes);
    return bytes;
}

}  // namespace civitas::images::test_images
