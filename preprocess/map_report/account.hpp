#pragma once
/// What became of maps, or of images, on the way into a tile store: all that a page tells of it
/// beside what stands in the store itself.
#include "civitas/base/numbers.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace civitas::map_report {

/// What becomes of a tile that is looked at: kept, or left out by the first question that it fails.
enum class Fate : std::uint8_t {
    training,
    test,
    few_buildings,
    few_roads,
    cut_by_edge,
    flat,   ///< below the variance quantile
    across  ///< on the ground of training tiles and on that of test tiles
};
inline constexpr std::size_t number_of_fates = 7;
[[nodiscard]] constexpr bool is_kept(Fate fate) {
    return fate == Fate::training || fate == Fate::test;
}

/// A tile that was looked at.
struct LookedAt {
    float building = 0, road = 0;  ///< shares of the tile
    std::uint16_t source = 0;      ///< row of the store's `/sources`
    Fate fate = Fate::training;
};

/// The grid of tiles over the ground of maps. The tile in a column and row of it has its upper left
/// corner at (column, -row) times the stride, easting and northing in metres.
struct Ground {
    double tile_metres = 0, stride_metres = 0;
    Range columns, rows;
    std::vector<std::int64_t> cells = {};  ///< looked at: ascending, numbered row by row from 0
    std::vector<LookedAt> tiles = {};      ///< what each of them is
    std::array<std::string, number_of_fates> names = {};  ///< of fates, in the words of `left_out`
    std::string never_looked_at = {};                     ///< name of all other cells
    double least_building = 0, least_road = 0;            ///< shares that a tile must have
};

struct Account {
    std::string system = {};                            ///< of coordinates; empty: there are none
    std::vector<std::size_t> read = {};                 ///< sources that were, rows of `/sources`
    std::vector<std::string> said = {};                 ///< what was printed
    std::map<std::string, std::int64_t> left_out = {};  ///< or mended: how often, by reason
    std::optional<Ground> ground = {};                  ///< of maps
};

}  // namespace civitas::map_report
