#pragma once
/// Free-standing buildings on a block: each is placed only if it keeps its distances.
#include "geometry.hpp"

#include <vector>

namespace civitas::survey {

class Lot {
public:
    explicit Lot(Ring ring) : ring_(std::move(ring)), box_(oriented_box(ring_)) {}

    [[nodiscard]] const Ring& ring() const { return ring_; }
    [[nodiscard]] const Box& box() const { return box_; }
    /// Takes the ground of a rectangle if it lies `margin` metres inside the edge and `clearance`
    /// metres from all that was taken before.
    [[nodiscard]] bool take(const Ring& ground, double margin, double clearance);

private:
    Ring ring_;
    Box box_;
    std::vector<Ring> taken_;
};

/// Stretches of the edge straight enough for a row of buildings; a slight bend does not end one.
struct Side {
    Point start;
    Point along;
    double length = 0;
};
[[nodiscard]] std::vector<Side> straight_sides(const Ring& ring);

}  // namespace civitas::survey
