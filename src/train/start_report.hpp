#pragma once
/// What a run says about its layout at the start: who sits where.
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

}  // namespace civitas::train
