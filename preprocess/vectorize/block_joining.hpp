#pragma once
/// Blocks that the borders of tiles cut, made whole again.
#include "blocks.hpp"
#include "contact.hpp"
#include "figures.hpp"

#include <map>

namespace civitas::vectorize {

/// Keeps the blocks that go on in a neighbour, until all tiles are known: open ground may go on
/// over all of them.
class BlockJoining {
public:
    /// Pieces are one block where they touch along more than `least_contact` metres.
    BlockJoining(Neighbours neighbours, double least_contact);

    /// Gives the blocks of a tile back that lie in it alone.
    [[nodiscard]] std::vector<Block> add(const TileFigures& tile, std::vector<Block> blocks);
    /// Buildings that are whole, of the tile that has most of them, whose blocks are known: blocks
    /// of several tiles count them.
    void add_buildings(std::int64_t tile, const Polygons& buildings);
    /// The blocks that were kept, each of the tile that has most of it. Throws Error where GEOS
    /// cannot join them.
    [[nodiscard]] std::map<std::int64_t, std::vector<Block>> joined() const;

private:
    struct Piece {
        std::int64_t tile = 0;
        Block block;
        Borders borders;
    };
    using Group = std::vector<std::size_t>;  ///< pieces

    [[nodiscard]] std::vector<Group> groups() const;
    [[nodiscard]] Block whole(const Group& group, const OGRPolygon& shape) const;
    [[nodiscard]] std::int64_t buildings_in(const Group& group, const OGRPolygon& shape) const;

    Neighbours neighbours_;
    double least_contact_;
    std::vector<Piece> pieces_;
    std::map<std::int64_t, Group> pieces_of_;            ///< by tile
    std::map<std::int64_t, std::vector<Point>> inside_;  ///< by tile: a point in each building
};

}  // namespace civitas::vectorize
