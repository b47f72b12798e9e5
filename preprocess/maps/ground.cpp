#include "ground.hpp"

#include "civitas/base/hash.hpp"
#include "civitas/random/stream.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

namespace civitas::maps {
namespace {

using data::Split;

constexpr std::array tiles_a_side{4, 2, 1};
constexpr std::size_t enough_blocks = 10;
constexpr double tile_tolerance = 1e-6;  // of a tile

struct Square {
    std::int64_t column = 0, row = 0;
    friend auto operator<=>(const Square&, const Square&) = default;
};

/// The blocks a tile lies on.
struct Footing {
    Square first, last;
    [[nodiscard]] bool single() const { return first == last; }
};

std::int64_t place(double at, double side) {
    return static_cast<std::int64_t>(std::floor(at / side));
}

Footing footing_of(Point corner, double tile, double side) {
    const double inset = tile_tolerance * tile;
    return {{place(corner.x + inset, side), place(-corner.y + inset, side)},
            {place(corner.x + tile - inset, side), place(-corner.y + tile - inset, side)}};
}

/// Tiles wholly within each block.
using Blocks = std::map<Square, std::int64_t>;

Blocks count_blocks(std::span<const Point> corners, double tile, double side) {
    Blocks blocks;
    for (const auto& corner : corners) {
        const auto footing = footing_of(corner, tile, side);
        if (footing.single()) ++blocks[footing.first];
    }
    return blocks;
}

std::uint64_t lot(Square square) {
    const auto key = name_hash("ground for train and test");
    const auto block = philox(
        {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)},
        {static_cast<std::uint32_t>(square.column), static_cast<std::uint32_t>(square.row), 0, 0});
    return (std::uint64_t{block[0]} << 32) | block[1];
}

std::set<Square> draw_test(const Blocks& blocks, double wanted) {
    std::vector<std::pair<std::uint64_t, Square>> drawn;
    for (const auto& [square, tiles] : blocks) drawn.emplace_back(lot(square), square);
    std::sort(drawn.begin(), drawn.end());
    std::set<Square> test;
    if (wanted <= 0 || blocks.size() < 2) return test;
    std::int64_t taken = 0;
    for (const auto& [number, square] : drawn) {
        const auto tiles = blocks.at(square);
        const bool closer = static_cast<double>(2 * taken + tiles) <= 2 * wanted;
        if (closer && test.size() + 1 < blocks.size()) {
            test.insert(square);
            taken += tiles;
        }
    }
    if (test.empty()) {
        const auto smallest = std::min_element(drawn.begin(), drawn.end(), [&](auto& a, auto& b) {
            return blocks.at(a.second) < blocks.at(b.second);
        });
        test.insert(smallest->second);
    }
    return test;
}

std::optional<Split> split_of(const Footing& footing, const std::set<Square>& test) {
    std::int64_t in_test = 0, all = 0;
    for (auto column = footing.first.column; column <= footing.last.column; ++column)
        for (auto row = footing.first.row; row <= footing.last.row; ++row, ++all)
            in_test += static_cast<std::int64_t>(test.contains({column, row}));
    if (in_test == 0) return Split::train;
    return in_test == all ? std::optional(Split::test) : std::nullopt;
}

double side_of_blocks(std::span<const Point> corners, double tile) {
    for (const int n : tiles_a_side)
        if (count_blocks(corners, tile, n * tile).size() >= enough_blocks) return n * tile;
    return tiles_a_side.back() * tile;
}

}  // namespace

std::vector<std::optional<Split>> split_ground(std::span<const Point> upper_left,
                                               double tile_metres, double test_share) {
    const double side = side_of_blocks(upper_left, tile_metres);
    const auto test = draw_test(count_blocks(upper_left, tile_metres, side),
                                test_share * static_cast<double>(upper_left.size()));
    std::vector<std::optional<Split>> splits;
    splits.reserve(upper_left.size());
    for (const auto& corner : upper_left)
        splits.push_back(split_of(footing_of(corner, tile_metres, side), test));
    return splits;
}

}  // namespace civitas::maps
