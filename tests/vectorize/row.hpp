#pragma once
/// A row of tiles of 100 m, from west to east, and what lies on them.
#include "preprocess/vectorize/contact.hpp"
#include "preprocess/vectorize/figures.hpp"

#include <vector>

namespace civitas::test {

inline OGRPolygon box(double west, double south, double east, double north) {
    return vectorize::to_polygon(
        {{{west, south}, {east, south}, {east, north}, {west, north}}, {}});
}

inline std::vector<data::TilePlace> row(int count, int source_of_last = 0) {
    std::vector<data::TilePlace> places;
    for (int i = 0; i < count; ++i) {
        places.push_back({i, 100.0 * i, 0, i + 1 == count ? source_of_last : 0});
    }
    return places;
}

inline vectorize::TileFigures tile(std::int64_t number) {
    vectorize::TileFigures figures;
    figures.tile = number;
    figures.west = 100.0 * static_cast<double>(number);
    figures.metres = 100;
    return figures;
}

}  // namespace civitas::test
