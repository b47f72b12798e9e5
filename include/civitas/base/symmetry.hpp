#pragma once
/// The symmetries of the square.
#include <cstdint>

namespace civitas {

/// One of the 8 symmetries of the square: bit 0 flips left-right, then bits 1-2 count quarter turns
/// to the left.
enum class Symmetry : std::uint8_t { identity = 0 };
inline constexpr std::uint8_t symmetry_count = 8;

/// Which cell a symmetry puts at (y, x) of an image of side n.
[[nodiscard]] std::int64_t cell_at(std::int64_t y, std::int64_t x, std::int64_t n,
                                   Symmetry symmetry);

}  // namespace civitas
