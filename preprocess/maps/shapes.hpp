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
    /// True if they have a point in common.
    [[nodiscard]] bool meets(const Box& other) const;
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
    std::span<const Point> points;
    std::span<const std::int64_t> ring_ends;  ///< end of each ring, counted from `first_point`
    std::span<const Box> ring_boxes;
    std::int64_t first_point;

    [[nodiscard]] std::size_t rings() const { return ring_ends.size(); }
    /// Around the outline, in which the holes lie.
    [[nodiscard]] Box box() const { return ring_boxes.empty() ? Box{} : ring_boxes.front(); }
    [[nodiscard]] std::span<const Point> ring(std::size_t i) const;
};

class Shapes {
public:
    void begin(LandClass value, const Origin& origin);
    void add_ring(std::span<const Point> ring);
    void append(const ShapeView& shape);
    /// The outline and those of the holes whose boxes are wanted.
    template <class Wanted>
    void append(const ShapeView& shape, Wanted&& wanted);

    [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(heads_.size()); }
    [[nodiscard]] ShapeView at(std::int64_t i) const;

    /// Some of the shapes of one rank, on every rank. Collective; only the owner's count.
    [[nodiscard]] static Shapes broadcast(const comm::Communicator& ranks, Rank owner,
                                          const Shapes& all, Range some);

private:
    struct Head {
        LandClass value;
        Origin origin;
        std::int64_t ring_end;  ///< end in ring_ends_
    };
    std::vector<Head> heads_;
    std::vector<std::int64_t> ring_ends_;
    std::vector<Box> ring_boxes_;
    std::vector<Point> points_;
};

template <class Wanted>
void Shapes::append(const ShapeView& shape, Wanted&& wanted) {
    begin(shape.value, shape.origin);
    for (std::size_t r = 0; r < shape.rings(); ++r)
        if (r == 0 || wanted(shape.ring_boxes[r])) add_ring(shape.ring(r));
}

/// Area in square metres of the part of a polygon that lies in a box, holes taken off.
[[nodiscard]] double area_within(const ShapeView& shape, const Box& box);

}  // namespace civitas::maps
