#include "sharing.hpp"

#include <algorithm>

namespace civitas::maps {
namespace {

constexpr std::int64_t shapes_per_message = 1 << 16;
constexpr std::size_t cells_before_sorting = 1 << 22;

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

/// True if a box lies on a cell from `first` to `last`, which may be in several rows.
bool touches(const Grid& grid, const Box& box, std::int64_t first, std::int64_t last) {
    const auto block = grid.touching(box);
    const auto row_of = [&](std::int64_t cell) {
        return grid.block().rows.begin + cell / grid.block().columns.count;
    };
    const auto end = std::min(block.rows.end(), row_of(last) + 1);
    for (auto row = std::max(block.rows.begin, row_of(first)); row < end; ++row)
        if (grid.cell(block.columns.begin, row) <= last &&
            grid.cell(block.columns.end() - 1, row) >= first)
            return true;
    return false;
}

/// Append a shape without the holes that lie on no cell from `first` to `last`: a town's streets as
/// one polygon have more of them than a tile should have to look at.
void append_between(const Grid& grid, const ShapeView& shape, std::int64_t first, std::int64_t last,
                    Shapes& shapes) {
    shapes.append(shape, [&](const Box& box) { return touches(grid, box, first, last); });
}

/// Add a shape to the cells of the local map it touches.
void keep_if_near(const Grid& grid, const ShapeView& shape, LocalMap& map) {
    const auto number = map.shapes.size();
    const auto block = grid.touching(shape.box());
    bool near = false;
    for (auto row = block.rows.begin; row < block.rows.end(); ++row) {
        const auto end = grid.cell(block.columns.end(), row);
        auto at = std::lower_bound(map.cells.begin(), map.cells.end(),
                                   grid.cell(block.columns.begin, row));
        for (; at != map.cells.end() && *at < end; ++at) {
            map.touching[static_cast<std::size_t>(at - map.cells.begin())].push_back(number);
            near = true;
        }
    }
    if (near) append_between(grid, shape, map.cells.front(), map.cells.back(), map.shapes);
}

}  // namespace

std::vector<std::int64_t> occupied_cells(const comm::Communicator& ranks, const Grid& grid,
                                         const Shapes& mine, const std::vector<LandClass>& wanted) {
    std::vector<std::int64_t> cells;
    std::size_t sorted = 0;
    for (std::int64_t i = 0; i < mine.size(); ++i) {
        const auto shape = mine.at(i);
        if (!contains(wanted, shape.value)) continue;
        for_each_cell(grid, shape.box(), [&](std::int64_t cell) { cells.push_back(cell); });
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

Sweep::Sweep(const comm::Communicator& ranks, const Grid& grid, const Shapes& mine,
             const std::vector<LandClass>& wanted)
    : ranks_(ranks), grid_(grid), mine_(mine) {
    for (std::int64_t i = 0; i < mine.size(); ++i) {
        const auto shape = mine.at(i);
        const auto block = grid.touching(shape.box());
        if (!contains(wanted, shape.value) || block.rows.count == 0 || block.columns.count == 0)
            continue;
        extents_.push_back({grid.cell(block.columns.begin, block.rows.begin),
                            grid.cell(block.columns.end() - 1, block.rows.end() - 1), i});
    }
    std::sort(extents_.begin(), extents_.end(), [](const Extent& a, const Extent& b) {
        return a.first != b.first ? a.first < b.first : a.shape < b.shape;
    });
}

/// The shapes that this rank has read and that touch cells from `first` to `last`.
Shapes Sweep::mine_in(std::int64_t first, std::int64_t last) {
    for (; begun_ < extents_.size() && extents_[begun_].first <= last; ++begun_)
        open_.push_back(extents_[begun_]);
    std::erase_if(open_, [&](const Extent& extent) { return extent.last < first; });
    Shapes found;
    for (const auto& extent : open_) {
        const auto shape = mine_.at(extent.shape);
        if (touches(grid_, shape.box(), first, last))
            append_between(grid_, shape, first, last, found);
    }
    return found;
}

LocalMap Sweep::next(std::span<const std::int64_t> cells) {
    const auto share = block_range(std::ssize(cells), index(ranks_.rank()), ranks_.size());
    LocalMap map;
    map.cells.assign(cells.begin() + share.begin, cells.begin() + share.end());
    map.touching.resize(map.cells.size());
    const auto mine = cells.empty() ? Shapes{} : mine_in(cells.front(), cells.back());
    const auto counts = ranks_.all_gather(mine.size());
    for (int owner = 0; owner < ranks_.size(); ++owner) {
        const auto count = counts[static_cast<std::size_t>(owner)];
        for (std::int64_t begin = 0; begin < count; begin += shapes_per_message) {
            const Range some{begin, std::min(shapes_per_message, count - begin)};
            const auto part = Shapes::broadcast(ranks_, Rank{owner}, mine, some);
            for (std::int64_t i = 0; i < part.size(); ++i) keep_if_near(grid_, part.at(i), map);
        }
    }
    return map;
}

}  // namespace civitas::maps
