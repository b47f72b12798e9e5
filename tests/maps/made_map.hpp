#pragma once
/// Small maps written by GDAL, and ways to look at tiles.
#include "civitas/base/error.hpp"
#include "preprocess/maps/gdal.hpp"
#include "preprocess/maps/tiles.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

namespace civitas::maps::test {

struct MadeFeature {
    std::string value;  ///< of the field
    std::string wkt;
};

struct MadeLayer {
    std::string name = "lcsf";
    std::string field = "Art";
    OGRFieldType type = OFTString;
    int epsg = 2056;  ///< 0: none
    std::vector<MadeFeature> features;
};

inline void write_layer(GDALDataset& dataset, const MadeLayer& made) {
    OGRSpatialReference crs;
    if (made.epsg != 0) crs.importFromEPSG(made.epsg);
    crs.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    auto* layer = dataset.CreateLayer(made.name.c_str(), made.epsg == 0 ? nullptr : &crs,
                                      wkbUnknown, nullptr);
    OGRFieldDefn field(made.field.c_str(), made.type);
    if (layer == nullptr || layer->CreateField(&field) != OGRERR_NONE)
        throw Error("the test cannot make its map");
    for (const auto& [value, wkt] : made.features) {
        OGRFeature feature(layer->GetLayerDefn());
        feature.SetField(0, value.c_str());
        OGRGeometry* geometry = nullptr;
        if (!wkt.empty()) OGRGeometryFactory::createFromWkt(wkt.c_str(), nullptr, &geometry);
        feature.SetGeometryDirectly(geometry);
        if (layer->CreateFeature(&feature) != OGRERR_NONE) throw Error("no feature could be made");
    }
}

/// A map file of these layers; the driver by its GDAL name.
inline std::string write_map(const std::filesystem::path& file,
                             const std::vector<MadeLayer>& layers, const char* driver = "GPKG") {
    GDALAllRegister();
    const Dataset dataset(GetGDALDriverManager()->GetDriverByName(driver)->Create(
        file.c_str(), 0, 0, 0, GDT_Unknown, nullptr));
    if (!dataset) throw Error("the test cannot make " + file.string());
    for (const auto& layer : layers) write_layer(*dataset, layer);
    return file.string();
}

/// A rectangle as WKT, offsets in metres from a place in Switzerland.
inline std::string rectangle(double x, double y, double width, double height) {
    constexpr double east = 2600000, north = 1200000;
    const auto corner = [&](double dx, double dy) {
        return text(std::fixed, east + x + dx, ' ', north + y + dy);
    };
    return text("POLYGON((", corner(0, 0), ',', corner(width, 0), ',', corner(width, height), ',',
                corner(0, height), ',', corner(0, 0), "))");
}

/// The only band of a square raster.
inline std::vector<std::uint8_t> band_of(GDALDataset& raster, int side) {
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(side) *
                                     static_cast<std::size_t>(side));
    if (raster.GetRasterBand(1)->RasterIO(GF_Read, 0, 0, side, side, pixels.data(), side, side,
                                          GDT_Byte, 0, 0, nullptr) != CE_None)
        throw Error("GDAL cannot read its own raster");
    return pixels;
}

/// Settings that keep every tile, in pixels of a metre.
inline Settings keep_all(std::vector<std::string> inputs) {
    Settings settings;
    settings.inputs = std::move(inputs);
    settings.output = "unused.h5";
    settings.min_building = 0;
    settings.min_road = 0;
    settings.keep_edge = true;
    settings.pixels = 250;
    return settings;
}

/// The tiles of all ranks.
struct Tiles {
    data::StoreHeader header = {};
    std::int64_t announced = 0;
    std::vector<data::TileRecord> records = {};
    std::vector<data::PackedTile> tiles = {};
    std::int64_t most_held = 0;  ///< by this rank at a time
};

/// Gathers all tiles on every rank.
class Collector : public TileSink {
public:
    explicit Collector(const comm::Communicator& ranks) : ranks_(ranks) {}
    void begin(const data::StoreHeader& header, std::int64_t tiles) override {
        all.header = header;
        all.announced = tiles;
    }
    void take(std::span<const data::TileRecord> records,
              std::span<const data::PackedTile> tiles) override {
        all.most_held = std::max<std::int64_t>(all.most_held, std::ssize(tiles));
        for (const auto& record : ranks_.all_gather(records)) all.records.push_back(record);
        for (Rank from{0}; index(from) < ranks_.size(); from = Rank{index(from) + 1}) {
            const auto count = ranks_.broadcast(tiles.size(), from);
            for (std::size_t i = 0; i < count; ++i)
                all.tiles.push_back(
                    ranks_.broadcast(from == ranks_.rank() ? tiles[i] : data::PackedTile{}, from));
        }
    }
    Tiles all = {};

private:
    const comm::Communicator& ranks_;
};

inline Tiles tiles_of(const comm::Communicator& ranks, const Settings& settings) {
    Log log(Rank{1});  // says nothing
    validate(settings);
    Collector collector(ranks);
    make_tiles(ranks, settings, collector, log);
    return std::move(collector.all);
}

inline Tiles tiles_of(const Settings& settings) {
    return tiles_of(comm::Communicator::self(), settings);
}

/// The message that reading a map ends with; empty if it is read.
inline std::string refusal_of(const Settings& settings) {
    try {
        static_cast<void>(tiles_of(settings));
    } catch (const Error& e) {
        return e.what();
    }
    return "";
}

/// The pixels of all tiles.
inline std::vector<std::uint8_t> pixels_of(const Tiles& tiles) {
    std::vector<std::uint8_t> all;
    for (const data::PackedTile& tile : tiles.tiles) {
        const auto side = static_cast<std::size_t>(tiles.header.pixels);
        const auto pixels = data::unpack(tile, side * side);
        all.insert(all.end(), pixels.begin(), pixels.end());
    }
    return all;
}

/// Pixels of a class in all tiles.
inline std::int64_t pixels_of(const Tiles& tiles, LandClass value) {
    const auto all = pixels_of(tiles);
    return std::count(all.begin(), all.end(), static_cast<std::uint8_t>(value));
}

/// Where the real maps are; empty, with a line that says so, when they are not.
inline std::string real_maps() {
    const char* folder = std::getenv("CIVITAS_MAPS");
    if (folder != nullptr && std::filesystem::is_directory(folder)) return folder;
    std::cout << "no real maps: CIVITAS_MAPS names no folder; this test checks nothing\n";
    return "";
}

inline bool same(const data::TileRecord& a, const data::TileRecord& b) {
    return a.easting == b.easting && a.northing == b.northing && a.cover == b.cover &&
           a.variance == b.variance && a.source == b.source && a.split == b.split;
}

}  // namespace civitas::maps::test
