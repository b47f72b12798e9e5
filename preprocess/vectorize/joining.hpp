#pragma once
/// Buildings that the borders of tiles cut, made whole again.
#include "contact.hpp"
#include "figures.hpp"

#include <map>
#include <optional>

namespace civitas::vectorize {

/// A tile whose buildings are known: those that lie in it alone, and those that lie in more than
/// one tile and in this one most. So every building counts once.
struct FinishedTile {
    TileFigures figures;
    Polygons buildings;
};

/// Takes tiles one by one and gives them back once no tile to come can add to their buildings. It
/// holds what touches tiles to come: with tiles row by row, one row.
class Joining {
public:
    /// Parts are one building where they touch along more than `least_contact` metres.
    Joining(Neighbours neighbours, double least_contact);
    [[nodiscard]] std::vector<FinishedTile> add(const TileFigures& tile, const Polygons& buildings);

private:
    /// A piece of a building that touches a tile's border.
    struct Part {
        std::int64_t tile = 0;
        OGRPolygon shape;
        Borders touched;  ///< with neighbours
        std::size_t group = 0;
    };
    /// Pieces that are one building.
    struct Group {
        std::vector<std::size_t> parts;
        int awaited = 0;  ///< tiles to come that a piece touches
    };
    struct OpenTile {
        FinishedTile tile;
        int open_parts = 0;
    };

    [[nodiscard]] std::optional<Part> cut_part(const TileFigures& tile,
                                               const OGRPolygon& building) const;
    void meet(std::size_t part, Side side, std::int64_t neighbour);
    void merge(std::size_t a, std::size_t b);
    void close(std::size_t group, std::vector<FinishedTile>& finished);
    void finish_if_whole(std::int64_t tile, std::vector<FinishedTile>& finished);

    Neighbours neighbours_;
    double least_contact_;
    std::map<std::size_t, Part> parts_;
    std::map<std::size_t, Group> groups_;
    std::map<std::int64_t, OpenTile> tiles_;
    std::map<std::int64_t, std::vector<std::size_t>> parts_of_;
    std::size_t next_ = 0;
};

}  // namespace civitas::vectorize
