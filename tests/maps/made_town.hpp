#pragma once
/// A small town as a map.
#include "made_map.hpp"

namespace civitas::maps::test {

/// Houses every 50 m on a square of `side` metres, from the corner of a tile so far in the east.
inline MadeLayer houses(double side, double east = 0) {
    MadeLayer layer{"houses", "kind", OFTString, 2056, {}};
    for (double x = 0; x < side; x += 50)
        for (double y = 0; y < side; y += 50)
            layer.features.push_back({"house", rectangle(east + x, y, 20, 20)});
    return layer;
}

inline MadeLayer streets(double side, double east = 0) {
    MadeLayer layer{"streets", "kind", OFTString, 2056, {}};
    for (double y = 0; y <= side; y += 50)
        layer.features.push_back({"street", rectangle(east, y - 2, side, 4)});
    return layer;
}

inline Settings dropping(const std::string& map) {
    auto settings = keep_all({map});
    settings.keep_edge = false;
    settings.min_building = 0.01;
    return settings;
}

inline MadeLayer joined(MadeLayer layer, const MadeLayer& more) {
    layer.features.insert(layer.features.end(), more.features.begin(), more.features.end());
    return layer;
}

}  // namespace civitas::maps::test
