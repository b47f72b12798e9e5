#pragma once
/// From shapes to tiles. A tile is cut twice: once to know what is on it, which decides over all
/// tiles together which of them are wanted, and once to be written, so that no rank holds more
/// than a few of them.
#include "civitas/data/store_writer.hpp"
#include "preprocess/map_report/account.hpp"
#include "raster.hpp"
#include "sharing.hpp"

#include <array>
#include <vector>

namespace civitas::maps {

inline constexpr double square_centimetres_in_a_metre = 1e4;  ///< squared

/// What was burned into all tiles looked at, and what should have been, by LandClass. Whole
/// numbers, so that sums over ranks have no order.
struct Areas {
    std::array<std::int64_t, 3> pixels{};  ///< before buildings hide roads
    /// Square centimetres of the polygons within the same tiles; overlaps count twice.
    std::array<std::int64_t, 3> polygons{};
};

/// Share of a tile that may lie beyond the edge of the data.
inline constexpr double most_beyond_edge = 0.02;

struct Cover {
    double building = 0;
    double road = 0;
};

/// What a tile must have to be kept.
struct Demand {
    Cover least;
    bool within_edge = false;  ///< all but a little of it is covered by shapes of any class
};

/// A tile that meets the demand.
struct Passed {
    std::int64_t cell = 0;
    float variance = 0;
};

/// What a rank knows of the tiles it has looked at.
struct Findings {
    std::vector<Passed> passed;
    Areas areas;
    std::int64_t too_few_buildings = 0, too_few_roads = 0;
    std::int64_t cut_by_edge = 0;  ///< of enough cover, but not wholly known
    Cover most;                    ///< the highest covers met
    /// All of them, in their order; a fate of training stands for all that passed.
    std::vector<map_report::LookedAt> looked_at;
};

/// Tiles as a store takes them.
struct Cuttings {
    std::vector<data::TileRecord> records;  ///< split not yet decided
    std::vector<data::PackedTile> tiles;
};

/// Burns tile after tile with one working memory, roads before buildings.
class Cutter {
public:
    /// Tiles of `pixels` a side. The grid outlives the cutter.
    Cutter(const Grid& grid, std::int64_t pixels);

    /// Add what is on the tiles of a map.
    void look(const LocalMap& map, const Demand& demand, Findings& findings);
    /// All tiles of a map.
    [[nodiscard]] Cuttings cut(const LocalMap& map);

private:
    using Counts = std::array<std::int64_t, 3>;
    void burn(const LocalMap& map, std::size_t i, LandClass value);
    void measure(const LocalMap& map, std::size_t i, LandClass value, Areas& areas) const;
    [[nodiscard]] Counts counts() const;
    [[nodiscard]] double share(std::int64_t pixels) const;
    [[nodiscard]] bool is_cut_by_edge(const LocalMap& map, std::size_t i);
    /// Of the tile that is burned; counts what does not pass.
    [[nodiscard]] map_report::Fate fate_of(const LocalMap& map, std::size_t i, const Cover& cover,
                                           const Demand& demand, Findings& findings);

    const Grid& grid_;
    std::vector<std::uint8_t> tile_;
    std::vector<std::uint8_t> known_;
    Burner burner_;
};

}  // namespace civitas::maps
