#pragma once
/// Sets of pixels.
#include "civitas/quality/class_map.hpp"

#include <compare>
#include <cstdint>
#include <vector>

namespace civitas::quality {

/// A pixel by column and row, from the north-west.
struct Pixel {
    std::int64_t x = 0;
    std::int64_t y = 0;
    friend auto operator<=>(const Pixel&, const Pixel&) = default;
};

/// A square of pixels that are set or not; outside of it none is.
class Mask {
public:
    explicit Mask(std::int64_t pixels)
        : pixels_(pixels), set_(static_cast<std::size_t>(pixels * pixels)) {}
    /// The pixels of a class.
    Mask(const ClassMap& map, LandClass land_class);

    [[nodiscard]] std::int64_t pixels() const noexcept { return pixels_; }
    [[nodiscard]] bool holds(Pixel p) const noexcept {
        return p.x >= 0 && p.y >= 0 && p.x < pixels_ && p.y < pixels_;
    }
    [[nodiscard]] bool at(Pixel p) const noexcept { return holds(p) && set_[place(p)] != 0; }
    void put(Pixel p, bool set) noexcept { set_[place(p)] = set ? 1 : 0; }
    [[nodiscard]] std::size_t place(Pixel p) const noexcept {
        return static_cast<std::size_t>(p.y * pixels_ + p.x);
    }
    /// How many are set.
    [[nodiscard]] std::int64_t area() const noexcept;
    [[nodiscard]] Mask inverted() const;

    /// Calls visit(Pixel) for each pixel that is set, row by row.
    template <class Visit>
    void each(Visit&& visit) const {
        for (std::int64_t y = 0; y < pixels_; ++y)
            for (std::int64_t x = 0; x < pixels_; ++x)
                if (set_[place({x, y})] != 0) visit(Pixel{x, y});
    }

private:
    std::int64_t pixels_;
    std::vector<std::uint8_t> set_;
};

/// Sides of pixels between one that is set and one that is not.
struct Sides {
    std::int64_t inner = 0;   ///< both within the square
    std::int64_t border = 0;  ///< on the square's border
};
[[nodiscard]] Sides sides_of(const Mask& mask);

}  // namespace civitas::quality
