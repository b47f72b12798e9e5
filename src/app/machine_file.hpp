#pragma once
/// The file of `name = value` lines that `--machine` names.
#include "civitas/cli/options.hpp"
#include "civitas/planner/machine_model.hpp"

#include <string>

namespace civitas::app {

/// Defaults where the file says nothing; all of them for an empty name. Throws UsageError for an
/// unknown name, and for numbers that no machine has.
[[nodiscard]] planner::MachineModel read_resources(const std::string& file,
                                                   const cli::ReadFile& read = cli::read_file);

}  // namespace civitas::app
