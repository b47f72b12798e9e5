#pragma once
/// Cracks that follow one another, and how well an edge stands for some of them.
#include "outline.hpp"

#include <array>
#include <limits>

namespace civitas::vectorize {

/// Of an edge: along the building's direction, across it, or at any angle.
using Kind = std::size_t;
inline constexpr Kind kAlong = 0, kAcross = 1, kSlanted = 2;
inline constexpr std::size_t kKinds = 3;

/// No edge: the residual of what none can stand for.
inline constexpr double kNever = std::numeric_limits<double>::max();

/// Numbers of points, and their moments, in a frame of the building's axes.
struct Scatter {
    double n = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
    /// Squared distances to the best line along, and to that across.
    [[nodiscard]] double from_along() const { return yy - y * y / n; }
    [[nodiscard]] double from_across() const { return xx - x * x / n; }
    [[nodiscard]] double mixed() const { return xy - x * y / n; }
};

/// A closed ring of cracks, or an open run of them. Sums of the moments make the residual of any
/// edge a matter of a few operations.
class Stretch {
public:
    Stretch(std::vector<Crack> cracks, double direction, bool closed);

    [[nodiscard]] std::size_t size() const { return cracks_.size(); }
    [[nodiscard]] bool closed() const { return closed_; }
    /// Of the cracks first..last, last excluded.
    [[nodiscard]] Scatter scatter(std::size_t first, std::size_t last) const;
    /// The sum of their squared distances to the best edge of each kind.
    [[nodiscard]] std::array<double, kKinds> residuals(std::size_t first, std::size_t last) const;
    /// The edge of this kind that stands for them.
    [[nodiscard]] Edge edge(std::size_t first, std::size_t last, Kind kind) const;
    /// The same ring from another of its cracks on.
    [[nodiscard]] Stretch from(std::size_t start) const;
    /// The crack that is farthest from the middle: a corner, or close to one.
    [[nodiscard]] std::size_t tip() const;

private:
    void sum();
    [[nodiscard]] double middle_offset(std::size_t first, std::size_t last, const Line& line) const;

    std::vector<Crack> cracks_;
    bool closed_;
    Point along_;
    std::vector<Scatter> sums_;  ///< of the cracks before each
};

}  // namespace civitas::vectorize
