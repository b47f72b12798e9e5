#pragma once
/// Which shapes lie on which tiles, shared by the ranks: each has the shapes that it has read, and
/// is handed those that touch the cells it looks at next.
#include "civitas/comm/communicator.hpp"
#include "grid.hpp"
#include "shapes.hpp"

#include <span>
#include <vector>

namespace civitas::maps {

/// Cells in which something of the wanted classes may lie, ascending, the same on all ranks.
/// Collective.
[[nodiscard]] std::vector<std::int64_t> occupied_cells(const comm::Communicator& ranks,
                                                       const Grid& grid, const Shapes& mine,
                                                       const std::vector<LandClass>& wanted);

/// Some cells, and the shapes that touch them.
struct LocalMap {
    std::vector<std::int64_t> cells;  ///< ascending
    Shapes shapes;
    std::vector<std::vector<std::int64_t>> touching;  ///< per cell: shapes, by number
};

/// Goes over the grid from the first cell to the last, batch by batch. What it holds beside the
/// shapes read is 24 bytes for each of them, and the shapes of one batch.
class Sweep {
public:
    /// Over the wanted classes of what all ranks have read. All arguments outlive the sweep.
    Sweep(const comm::Communicator& ranks, const Grid& grid, const Shapes& mine,
          const std::vector<LandClass>& wanted);

    /// This rank's share of some cells, the same ascending ones on all ranks, behind those of the
    /// call before. Collective.
    [[nodiscard]] LocalMap next(std::span<const std::int64_t> cells);

private:
    struct Extent {
        std::int64_t first = 0, last = 0;  ///< cell
        std::int64_t shape = 0;
    };
    [[nodiscard]] Shapes mine_in(std::int64_t first, std::int64_t last);

    const comm::Communicator& ranks_;
    const Grid& grid_;
    const Shapes& mine_;
    std::vector<Extent> extents_;  ///< by their first cells
    std::size_t begun_ = 0;        ///< so many extents began in cells passed
    std::vector<Extent> open_;     ///< of these the ones that may go on
};

}  // namespace civitas::maps
