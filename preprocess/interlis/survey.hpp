#pragma once
/// The land cover of one transfer, before it is a map.
#include "preprocess/linework/areas.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace civitas::interlis {

/// One area of land cover.
struct Area {
    std::optional<std::string> art;       ///< number or name; nothing: undefined
    std::unique_ptr<OGRPolygon> polygon;  ///< none when it has no geometry
};

/// How a transfer is to be read.
struct Reading {
    bool bear_damage = false;         ///< go on without what cannot be read
    linework::ArcStep arc_step = {};  ///< of the bends in its boundaries
};

struct Survey {
    std::string model;  ///< of its numbers; empty when land cover goes by name
    std::string layer;  ///< the table or class
    bool by_number = false;
    std::vector<Area> areas = {};
    std::int64_t projected = 0;  ///< areas of what is yet to be built
    std::int64_t not_found = 0;  ///< areas around whose point the boundaries do not close
    std::int64_t damaged = 0;    ///< objects that cannot be read, when that is to be borne
    std::string broke_off = {};  ///< why nothing more was read of the file; empty: all was read
    std::vector<std::string> warnings = {};
};

}  // namespace civitas::interlis
