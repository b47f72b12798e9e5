#include "raster.hpp"

#include "civitas/base/error.hpp"
#include "ogr.hpp"

#include <gdal_alg.h>
#include <algorithm>
#include <initializer_list>
#include <limits>

namespace civitas::vectorize {
namespace {

/// The first of these that this GDAL has.
GDALDriver& driver(std::initializer_list<const char*> names) {
    GDALAllRegister();
    for (const char* name : names)
        if (auto* const found = GetGDALDriverManager()->GetDriverByName(name)) return *found;
    throw Error(text("this GDAL has no ", *names.begin(), " driver"));
}

Dataset in_memory(const ClassRaster& raster) {
    Dataset dataset(driver({"MEM"}).Create("", raster.side, raster.side, 1, GDT_Byte, nullptr));
    ensure(dataset != nullptr, "GDAL makes a raster in memory");
    double frame[6] = {0, 1, 0, static_cast<double>(raster.side), 0, -1};
    dataset->SetGeoTransform(frame);
    auto pixels = raster.classes;
    const auto done =
        dataset->GetRasterBand(1)->RasterIO(GF_Write, 0, 0, raster.side, raster.side, pixels.data(),
                                            raster.side, raster.side, GDT_Byte, 0, 0, nullptr);
    ensure(done == CE_None, "GDAL keeps a raster in memory");
    return dataset;
}

}  // namespace

std::uint8_t ClassRaster::at(Point p) const {
    const int column = static_cast<int>(std::floor(p.x));
    const int row = side - 1 - static_cast<int>(std::floor(p.y));
    if (column < 0 || row < 0 || column >= side || row >= side) return kOutside;
    return classes[static_cast<std::size_t>(row) * static_cast<std::size_t>(side) +
                   static_cast<std::size_t>(column)];
}

double ClassRaster::share(std::uint8_t land_class) const {
    return static_cast<double>(std::count(classes.begin(), classes.end(), land_class)) /
           static_cast<double>(classes.size());
}

std::size_t TilesAround::tile_of(PlaceInTile p) const {
    const auto third = [&](int pixel) -> std::size_t {
        return pixel < 0 ? 0 : pixel < side ? 1 : 2;
    };
    return 3 * third(p.row) + third(p.column);
}

PlaceInTile TilesAround::nearest(PlaceInTile p) const {
    if (there[tile_of(p)]) return p;
    PlaceInTile found;
    int least = std::numeric_limits<int>::max();
    for (int tile = 0; tile < std::ssize(there); ++tile) {
        if (!there[static_cast<std::size_t>(tile)]) continue;
        const int west = (tile % 3 - 1) * side, north = (tile / 3 - 1) * side;
        const PlaceInTile in_it{std::clamp(p.column, west, west + side - 1),
                                std::clamp(p.row, north, north + side - 1)};
        const int columns = p.column - in_it.column, rows = p.row - in_it.row;
        const int squared_distance = columns * columns + rows * rows;
        if (squared_distance < least) least = squared_distance, found = in_it;
    }
    return found;
}

bool TileInContext::owns(PlaceInTile p) const {
    const PlaceInTile nearest = around.nearest(p);
    return nearest.column >= 0 && nearest.row >= 0 && nearest.column < side() &&
           nearest.row < side();
}

ClassRaster TileInContext::tile() const {
    ClassRaster inner{side(), {}};
    for (int row = margin; row < margin + side(); ++row) {
        const auto first = wide.classes.begin() + std::ptrdiff_t{row} * wide.side + margin;
        inner.classes.insert(inner.classes.end(), first, first + side());
    }
    return inner;
}

ClassRaster make_raster(int side, std::span<const std::uint8_t> classes) {
    const auto size = static_cast<std::size_t>(side) * static_cast<std::size_t>(side);
    if (side < 1 || classes.size() != size) {
        throw Error(
            text("a tile of ", side, " pixels a side has ", size, " pixels, not ", classes.size()));
    }
    const auto worst = *std::max_element(classes.begin(), classes.end());
    if (worst > kBuilding) {
        throw Error(text("pixel value ", int{worst}, " is none of 0 other, 1 road, 2 building"),
                    Hint{"civitas inspect says what the store holds"});
    }
    return {side, {classes.begin(), classes.end()}};
}

std::vector<Region> regions(const ClassRaster& raster) {
    const Dataset pixels = in_memory(raster);
    // "Memory" is a part of "MEM" since GDAL 3.11.
    const Dataset vectors(driver({"Memory", "MEM"}).Create("", 0, 0, 0, GDT_Unknown, nullptr));
    auto* layer = vectors->CreateLayer("regions", nullptr, wkbPolygon, nullptr);
    OGRFieldDefn field("class", OFTInteger);
    ensure(layer != nullptr && layer->CreateField(&field) == OGRERR_NONE, "GDAL makes a layer");
    const auto done = GDALPolygonize(pixels->GetRasterBand(1), nullptr, OGRLayer::ToHandle(layer),
                                     0, nullptr, nullptr, nullptr);
    ensure(done == CE_None, "GDAL polygonizes a raster");
    std::vector<Region> all;
    for (const auto& feature : *layer) {
        all.push_back({static_cast<std::uint8_t>(feature->GetFieldAsInteger(0)),
                       to_shape(*feature->GetGeometryRef()->toPolygon())});
    }
    return all;
}

}  // namespace civitas::vectorize
