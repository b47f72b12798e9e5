#pragma once
/// What a run says about its layout: who sits where at the start, what the cuts cost at the end.
#include "civitas/comm/mesh.hpp"
#include "civitas/comm/point_to_point.hpp"
#include "civitas/environment/process.hpp"
#include "civitas/planner/execution_layout.hpp"

#include <optional>
#include <string>
#include <vector>

namespace civitas::train {

/// Lines: the groups of ranks along each axis that has more than one coordinate, and the stages of
/// each pipe coordinate when there are several, and its devices where not all are CPUs.
[[nodiscard]] std::vector<std::string> layout_lines(const planner::ExecutionLayout& layout,
                                                    const environment::Process& process,
                                                    const planner::Nets& nets);

/// A warning where the bits of the result belong to the extent of the data axis; nothing where they
/// are those of one rank, or where they are not asked for.
[[nodiscard]] std::optional<std::string> bits_line(const planner::Configuration& configuration,
                                                   MeshShape mesh);

/// What went from one pipe coordinate to another, over all rows of the mesh.
struct PipeTraffic {
    PipeCoordinate from{}, to{};
    std::int64_t bytes = 0;
    double waited_s = 0;  ///< of the receiver, the longest of all rows
};
/// Collective over all ranks; the same on all of them, by (from, to).
[[nodiscard]] std::vector<PipeTraffic> traffic_of_cuts(const comm::Mesh& mesh,
                                                       const comm::PointToPoint& transport);

}  // namespace civitas::train
