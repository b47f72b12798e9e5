#include "block_joining.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/unions.hpp"

#include <algorithm>
#include <set>

namespace civitas::vectorize {

BlockJoining::BlockJoining(Neighbours neighbours, double least_contact)
    : neighbours_(std::move(neighbours)), least_contact_(least_contact) {}

std::vector<Block> BlockJoining::add(const TileFigures& tile, std::vector<Block> blocks) {
    OGREnvelope ground;
    ground_of(tile).getEnvelope(&ground);
    std::vector<Block> alone;
    for (Block& block : blocks) {
        Borders borders = borders_of(block.shape, ground);
        bool goes_on = false;
        block.enclosed = true;
        for (const Side side : data::sides) {
            if (borders[at(side)].empty()) continue;
            const bool known = neighbours_.of(tile.tile, side).has_value();
            goes_on |= known;
            block.enclosed &= known;
        }
        if (!goes_on) {
            alone.push_back(std::move(block));
            continue;
        }
        pieces_of_[tile.tile].push_back(pieces_.size());
        pieces_.push_back({tile.tile, std::move(block), std::move(borders)});
    }
    return alone;
}

void BlockJoining::add_buildings(std::int64_t tile, const Polygons& buildings) {
    if (!pieces_of_.contains(tile)) return;
    for (const auto& building : buildings)
        if (const auto point = point_inside(building)) inside_[tile].push_back(*point);
}

/// Pieces that touch.
std::vector<BlockJoining::Group> BlockJoining::groups() const {
    Unions unions(std::ssize(pieces_));
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
        for (const Side side : {Side::east, Side::north}) {
            const auto neighbour = neighbours_.of(pieces_[i].tile, side);
            const auto there = neighbour ? pieces_of_.find(*neighbour) : pieces_of_.end();
            if (there == pieces_of_.end()) continue;
            const Stretches& mine = pieces_[i].borders[at(side)];
            for (const std::size_t j : there->second)
                if (common(mine, pieces_[j].borders[at(opposite(side))]) > least_contact_)
                    (void)unions.join(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j));
        }
    }
    std::map<std::int64_t, Group> by_root;
    for (std::size_t i = 0; i < pieces_.size(); ++i)
        by_root[unions.root(static_cast<std::int64_t>(i))].push_back(i);
    std::vector<Group> all;
    for (auto& [root, group] : by_root) all.push_back(std::move(group));
    return all;
}

std::int64_t BlockJoining::buildings_in(const Group& group, const OGRPolygon& shape) const {
    std::set<std::int64_t> tiles;
    for (const std::size_t piece : group) tiles.insert(pieces_[piece].tile);
    // Open ground may have thousands of corners and of buildings.
    const OGRPreparedGeometryUniquePtr prepared(
        OGRCreatePreparedGeometry(OGRGeometry::ToHandle(const_cast<OGRPolygon*>(&shape))));
    std::int64_t count = 0;
    for (const std::int64_t tile : tiles) {
        const auto there = inside_.find(tile);
        if (there == inside_.end()) continue;
        count += std::count_if(there->second.begin(), there->second.end(), [&](Point p) {
            OGRPoint point(p.x, p.y);
            return OGRPreparedGeometryContains(prepared.get(), OGRGeometry::ToHandle(&point)) != 0;
        });
    }
    return count;
}

Block BlockJoining::whole(const Group& group, const OGRPolygon& shape) const {
    Block block{shape, 0, buildings_in(group, shape), true};
    double area = 0;
    for (const std::size_t i : group) {
        const Block& piece = pieces_[i].block;
        area += piece.shape.get_Area();
        block.building_share += piece.building_share * piece.shape.get_Area();
        block.enclosed &= piece.enclosed;
    }
    block.building_share /= area;
    return block;
}

std::map<std::int64_t, std::vector<Block>> BlockJoining::joined() const {
    const QuietGdal quiet;  // what GEOS says of a point is no failure to write the map
    std::map<std::int64_t, std::vector<Block>> all;
    for (const Group& group : groups()) {
        const auto area_of = [&](std::size_t i) { return pieces_[i].block.shape.get_Area(); };
        const auto largest = *std::max_element(
            group.begin(), group.end(),
            [&](std::size_t a, std::size_t b) { return area_of(a) < area_of(b); });
        const std::int64_t tile = pieces_[largest].tile;
        Polygons parts;
        for (const std::size_t i : group) parts.push_back(pieces_[i].block.shape);
        const Polygons shapes = joined_over_borders("block", parts, tile);
        ensure(shapes.size() == 1, "pieces that touch along a border are one block");
        all[tile].push_back(whole(group, shapes.front()));
    }
    return all;
}

}  // namespace civitas::vectorize
