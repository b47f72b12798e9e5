#pragma once
/// Images in another size.
#include <cstdint>
#include <span>
#include <vector>

namespace civitas::images {

constexpr std::int64_t channels = 3;

/// Averages a square image over areas: each pixel that comes out is the mean of the ground that it
/// covers in the image, rounded to the nearest, halves up. Exact, since all are sums of products of
/// whole numbers: the same bytes on every machine.
class AreaAverage {
public:
    /// From `from` to `to` pixels a side; either may be the larger.
    AreaAverage(std::int64_t from, std::int64_t to);

    /// The next row of the image: red, green, blue of `from` pixels.
    void add(std::span<const std::uint8_t> row);
    /// After the last row: red, green, blue of `to`^2 pixels, row by row.
    void write(std::span<std::uint8_t> rgb) const;

private:
    std::int64_t from_, to_, rows_ = 0;
    std::vector<std::uint64_t> row_;   ///< sums across, of one row
    std::vector<std::uint64_t> sums_;  ///< in units of 1 / from^2
};

}  // namespace civitas::images
