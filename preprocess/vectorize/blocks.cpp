#include "blocks.hpp"

#include "civitas/base/error.hpp"
#include "contact.hpp"

#include <algorithm>

namespace civitas::vectorize {

std::vector<Block> blocks_of(const Plan& plan, const OGRPolygon& ground) {
    const QuietGdal quiet;  // GEOS's words are no failure to write the map
    OGREnvelope tile;
    ground.getEnvelope(&tile);
    Polygons parts = plan.buildings;
    parts.insert(parts.end(), plan.other.begin(), plan.other.end());
    const auto shapes = dissolved(parts);
    if (shapes.empty() && !parts.empty())
        throw Error(text("blocks cannot be joined: ", quiet.failure()), Hint{"--tiles without it"});
    std::vector<Block> blocks;
    for (const auto& shape : shapes) {
        const Borders borders = borders_of(shape, tile);
        const bool enclosed =
            std::all_of(borders.begin(), borders.end(), [](auto& side) { return side.empty(); });
        blocks.push_back({shape, 0, 0, enclosed});
    }
    for (const auto& building : plan.buildings) {
        const auto inside = point_inside(building);
        if (!inside) continue;
        const OGRPoint point(inside->x, inside->y);
        const auto block = std::find_if(blocks.begin(), blocks.end(), [&](const Block& b) {
            return b.shape.Contains(&point) != 0;
        });
        if (block == blocks.end()) continue;
        block->building_share += building.get_Area() / block->shape.get_Area();
        ++block->buildings;
    }
    return blocks;
}

}  // namespace civitas::vectorize
