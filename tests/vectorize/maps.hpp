#pragma once
/// Class rasters to vectorise: tiles of a real survey, and plans drawn here.
#include "preprocess/vectorize/ogr.hpp"
#include "preprocess/vectorize/raster.hpp"

#include <gdal_alg.h>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>

namespace civitas::test {

using vectorize::ClassRaster;

struct Ground {
    double west = 0, north = 0, metres = 250;
};

/// Burn polygons into a raster of `ground`, pixel centre rule.
inline void burn(GDALDataset& dataset, std::vector<OGRGeometryH> shapes, double value) {
    int band = 1;
    std::vector<double> values(shapes.size(), value);
    GDALRasterizeGeometries(GDALDataset::ToHandle(&dataset), 1, &band,
                            static_cast<int>(shapes.size()), shapes.data(), nullptr, nullptr,
                            values.data(), nullptr, nullptr, nullptr);
}

inline vectorize::Dataset empty_raster(const Ground& ground, int side) {
    GDALAllRegister();
    vectorize::Dataset dataset(GetGDALDriverManager()->GetDriverByName("MEM")->Create(
        "", side, side, 1, GDT_Byte, nullptr));
    const double pixel = ground.metres / side;
    double frame[6] = {ground.west, pixel, 0, ground.north, 0, -pixel};
    dataset->SetGeoTransform(frame);
    return dataset;
}

inline ClassRaster pixels(GDALDataset& dataset, int side) {
    std::vector<std::uint8_t> classes(static_cast<std::size_t>(side) *
                                      static_cast<std::size_t>(side));
    if (dataset.GetRasterBand(1)->RasterIO(GF_Read, 0, 0, side, side, classes.data(), side, side,
                                           GDT_Byte, 0, 0, nullptr) != CE_None) {
        throw std::runtime_error("cannot read the raster");
    }
    return vectorize::make_raster(side, classes);
}

/// Sauge's land cover, roads before buildings.
inline ClassRaster survey_tile(const std::filesystem::path& geopackage, const Ground& ground,
                               int side) {
    const auto dataset = empty_raster(ground, side);
    const vectorize::Dataset map(
        GDALDataset::Open(geopackage.c_str(), GDAL_OF_VECTOR | GDAL_OF_READONLY));
    const auto add = [&](const char* where, double value) {
        auto* layer = map->GetLayer(0);
        layer->SetAttributeFilter(where);
        std::vector<vectorize::GeometryPtr> shapes;
        std::vector<OGRGeometryH> handles;
        for (const auto& feature : *layer) {
            shapes.emplace_back(feature->StealGeometry());
            handles.push_back(OGRGeometry::ToHandle(shapes.back().get()));
        }
        burn(*dataset, handles, value);
    };
    add("Art IN ('Strasse_Weg', 'Trottoir', 'Verkehrsinsel')", vectorize::kRoad);
    add("Art = 'Gebaeude'", vectorize::kBuilding);
    return pixels(*dataset, side);
}

/// A rectangle of `width` x `height` metres around a point, turned by `degrees`.
inline vectorize::Shape turned_rectangle(vectorize::Point centre, double width, double height,
                                         double degrees) {
    const double angle = degrees * 3.14159265358979323846 / 180;
    const vectorize::Point u{std::cos(angle), std::sin(angle)}, v = vectorize::turned_left(u);
    vectorize::Shape shape;
    for (const auto& [a, b] : {std::pair{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}) {
        shape.outer.push_back(centre + (a * width / 2) * u + (b * height / 2) * v);
    }
    return shape;
}

/// Shapes in pixels from the lower left corner.
inline ClassRaster drawn(const std::vector<std::pair<vectorize::Shape, std::uint8_t>>& shapes,
                         int side) {
    const auto dataset =
        empty_raster({0, static_cast<double>(side), static_cast<double>(side)}, side);
    for (const auto& [shape, value] : shapes) {
        OGRPolygon polygon = vectorize::to_polygon(shape);
        burn(*dataset, {OGRGeometry::ToHandle(&polygon)}, value);
    }
    return pixels(*dataset, side);
}

/// What a generator makes of a plan: borders displaced by chance, and single wrong pixels.
inline ClassRaster noisy(const ClassRaster& clean, double border, double speckle, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> chance(0, 1);
    ClassRaster noise = clean;
    const int n = clean.side;
    const auto at = [&](int row, int column) {
        return static_cast<std::size_t>(row) * static_cast<std::size_t>(n) +
               static_cast<std::size_t>(column);
    };
    for (int row = 1; row + 1 < n; ++row) {
        for (int column = 1; column + 1 < n; ++column) {
            const int steps[4][2] = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}};
            const auto& step = steps[random() % 4];
            const auto next = clean.classes[at(row + step[0], column + step[1])];
            auto& pixel = noise.classes[at(row, column)];
            if (next != pixel && chance(random) < border) pixel = next;
            if (chance(random) < speckle) pixel = static_cast<std::uint8_t>(random() % 3);
        }
    }
    return noise;
}

}  // namespace civitas::test
