#pragma once
/// Polygons of land, packed: millions of them fit, and ranks can pass them on.
#include "civitas/base/numbers.hpp"
#include "civitas/comm/communicator.hpp"
#include "civitas/data/tile_store.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace civitas::maps {

struct Point {
    double x = 0, y = 0;  ///< easting, northing in metres
};

struct Box {
    double min_x = 1e300, min_y = 1e300, max_x = -1e300, max_y = -1e300;
    void include(Point p);
    void include(const Box& other);
    [[nodiscard]] bool empty() const { return min_x > max_x; }
};

/// The feature of a map that a shape was made of.
struct Origin {
    std::uint16_t source = 0;   ///< row of the store's `/sources`
    std::uint16_t task = 0;     ///< place in the plan
    std::int64_t feature = -1;  ///< the number its map gives it
};

/// One polygon: its first ring is the outline, others are holes. Rings need not repeat their first
/// point.
struct ShapeView {
    LandClass value;
    Origin origin;
    Box box;
    std::span<const Point> points;
    std::span<const std::int64_t> ring_ends;  ///< end of each ring, counted from `first_point`
    std::int64_t first_point;

    [[nodiscard]] std::size_t rings() const { return ring_ends.size(); }
    [[nodiscard]] std::span<const Point> ring(std::size_t i) const;
};

class Shapes {
public:
    void begin(LandClass value, const Origin& origin);
    void add_ring(std::span<const Point> ring);
    void append(const ShapeView& shape);

    [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(heads_.size()); }
    [[nodiscard]] ShapeView at(std::int64_t i) const;

    /// Some of the shapes of one rank, on every rank. Collective; only the owner's count.
    [[nodiscard]] static Shapes broadcast(const comm::Communicator& ranks, Rank owner,
                                          const Shapes& all, Range some);

private:
    struct Head {
        LandClass value;
        Origin origin;
        Box box;
        std::int64_t ring_end;  ///< end in ring_ends_
    };
    std::vector<Head> heads_;
    std::vector<std::int64_t> ring_ends_;
    std::vector<Point> points_;
};

/// Area in square metres of the part of a polygon that lies in a box, holes taken off.
[[nodiscard]] double area_within(const ShapeView& shape, const Box& box);

}  // namespace civitas::maps
