#include "preprocess/maps/cutting.hpp"

#include "civitas/data/coding.hpp"

#include "preprocess/maps/raster.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace civitas::maps {
namespace {

using data::LandClass;

constexpr std::int64_t shapes_per_message = 1 << 16;
constexpr std::size_t cells_before_sorting = 1 << 22;
constexpr double square_centimetres = 1e4;  // in a square metre

template <class Visit>
void for_each_cell(const Grid& grid, const Box& box, Visit&& visit) {
    const auto block = grid.touching(box);
    for (auto row = block.rows.begin; row < block.rows.end(); ++row)
        for (auto column = block.columns.begin; column < block.columns.end(); ++column)
            visit(grid.cell(column, row));
}

void sort_unique(std::vector<std::int64_t>& numbers) {
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

bool contains(const std::vector<LandClass>& classes, LandClass value) {
    return std::find(classes.begin(), classes.end(), value) != classes.end();
}

/// Add a shape to the cells of the local map it touches.
void keep_if_near(const Grid& grid, const ShapeView& shape, LocalMap& map) {
    const auto number = map.shapes.size();
    bool near = false;
    for_each_cell(grid, shape.box, [&](std::int64_t cell) {
        const auto at = std::lower_bound(map.cells.begin(), map.cells.end(), cell);
        if (at == map.cells.end() || *at != cell) return;
        map.touching[static_cast<std::size_t>(at - map.cells.begin())].push_back(number);
        near = true;
    });
    if (near) map.shapes.append(shape);
}

std::int64_t count_of(std::span<const std::uint8_t> pixels, LandClass value) {
    return std::count(pixels.begin(), pixels.end(), static_cast<std::uint8_t>(value));
}

/// Cuts tile after tile with one working memory.
class Cutter {
public:
    Cutter(const Grid& grid, std::int64_t pixels, const LocalMap& map, const Demand& demand)
        : grid_(grid),
          map_(map),
          demand_(demand),
          tile_(static_cast<std::size_t>(pixels * pixels)),
          burner_({{}, grid.size().metres, pixels}) {}

    void cut(std::size_t i) {
        const auto corner = grid_.upper_left(map_.cells[i]);
        burner_.move_to(corner);
        std::fill(tile_.begin(), tile_.end(), static_cast<std::uint8_t>(LandClass::other));
        burn(i, LandClass::road, corner);
        burn(i, LandClass::building, corner);
        judge(i, corner, source_of(i));
    }

    [[nodiscard]] Cuttings take() { return std::move(result_); }

private:
    void burn(std::size_t i, LandClass value, Point corner) {
        const double side = grid_.size().metres;
        const Box ground{corner.x, corner.y - side, corner.x + side, corner.y};
        std::int64_t polygons = 0;  // rounded one by one: shapes come in any order
        for (const auto number : map_.touching[i]) {
            const auto shape = map_.shapes.at(number);
            if (shape.value != value) continue;
            burner_.burn(shape, static_cast<std::uint8_t>(value), tile_);
            polygons += std::llround(area_within(shape, ground) * square_centimetres);
        }
        const auto c = static_cast<std::size_t>(value);
        result_.areas.pixels[c] += count_of(tile_, value);
        result_.areas.polygons[c] += polygons;
    }

    [[nodiscard]] std::uint16_t source_of(std::size_t i) const {
        std::uint16_t first = std::numeric_limits<std::uint16_t>::max();
        bool any = false;
        for (const auto number : map_.touching[i]) {
            const auto shape = map_.shapes.at(number);
            if (shape.value == LandClass::other) continue;
            first = std::min(first, shape.origin.source);
            any = true;
        }
        return any ? first : std::uint16_t{0};
    }

    /// True if more of the tile lies on no shape at all than is borne.
    bool is_cut_by_edge(std::size_t i) {
        if (!demand_.within_edge) return false;
        known_.assign(tile_.size(), 0);
        for (const auto number : map_.touching[i]) burner_.burn(map_.shapes.at(number), 1, known_);
        const auto unknown = static_cast<double>(std::count(known_.begin(), known_.end(), 0));
        return unknown > most_beyond_edge * static_cast<double>(tile_.size());
    }

    void judge(std::size_t i, Point corner, std::uint16_t source) {
        const std::array counts{count_of(tile_, LandClass::other), count_of(tile_, LandClass::road),
                                count_of(tile_, LandClass::building)};
        const auto share = [&](std::size_t c) {
            return static_cast<double>(counts[c]) / static_cast<double>(tile_.size());
        };
        result_.most.road = std::max(result_.most.road, share(1));
        result_.most.building = std::max(result_.most.building, share(2));
        if (share(2) < demand_.least.building) {
            ++result_.too_few_buildings;
        } else if (share(1) < demand_.least.road) {
            ++result_.too_few_roads;
        } else if (is_cut_by_edge(i)) {
            ++result_.cut_by_edge;
        } else {
            result_.cells.push_back(map_.cells[i]);
            result_.records.push_back({corner.x,
                                       corner.y,
                                       {static_cast<float>(share(0)), static_cast<float>(share(1)),
                                        static_cast<float>(share(2))},
                                       data::variance_of(counts),
                                       source});
            result_.tiles.push_back(data::pack(tile_));
        }
    }

    const Grid& grid_;
    const LocalMap& map_;
    Demand demand_;
    std::vector<std::uint8_t> known_;
    std::vector<std::uint8_t> tile_;
    Burner burner_;
    Cuttings result_;
};

}  // namespace

std::vector<std::int64_t> occupied_cells(const comm::Communicator& ranks, const Grid& grid,
                                         const Shapes& mine, const std::vector<LandClass>& wanted) {
    std::vector<std::int64_t> cells;
    std::size_t sorted = 0;
    for (std::int64_t i = 0; i < mine.size(); ++i) {
        const auto shape = mine.at(i);
        if (!contains(wanted, shape.value)) continue;
        for_each_cell(grid, shape.box, [&](std::int64_t cell) { cells.push_back(cell); });
        if (cells.size() > 2 * sorted + cells_before_sorting) {
            sort_unique(cells);
            sorted = cells.size();
        }
    }
    sort_unique(cells);
    cells = ranks.all_gather(std::span<const std::int64_t>(cells));
    sort_unique(cells);
    return cells;
}

LocalMap share_out(const comm::Communicator& ranks, const Grid& grid, const Shapes& mine,
                   std::vector<std::int64_t> own_cells) {
    LocalMap map;
    map.cells = std::move(own_cells);
    map.touching.resize(map.cells.size());
    const auto counts = ranks.all_gather(mine.size());
    for (int owner = 0; owner < ranks.size(); ++owner) {
        const auto count = counts[static_cast<std::size_t>(owner)];
        for (std::int64_t begin = 0; begin < count; begin += shapes_per_message) {
            const Range some{begin, std::min(shapes_per_message, count - begin)};
            const auto part = Shapes::broadcast(ranks, Rank{owner}, mine, some);
            for (std::int64_t i = 0; i < part.size(); ++i) keep_if_near(grid, part.at(i), map);
        }
    }
    return map;
}

Cuttings cut_tiles(const Grid& grid, std::int64_t pixels, const LocalMap& map, const Demand& demand,
                   const std::function<void(std::int64_t)>& done) {
    Cutter cutter(grid, pixels, map, demand);
    for (std::size_t i = 0; i < map.cells.size(); ++i) {
        cutter.cut(i);
        done(static_cast<std::int64_t>(i + 1));
    }
    return cutter.take();
}

}  // namespace civitas::maps
