#pragma once
/// What commands read, for the check of their outputs.
#include "civitas/io/outputs.hpp"
#include "civitas/planner/options.hpp"

namespace civitas::app {

/// What a run folder holds of its own, or will, as files that `option` may read. `where` may also
/// be a file, or a folder of checkpoints.
void add_run(io::CommandFiles& files, const std::string& option,
             const std::filesystem::path& where);

/// The file that --schedule names; empty for a schedule of ours.
[[nodiscard]] std::string schedule_file(const planner::LayoutOptions& layout_options);

/// What `train` reads, and its trace.
[[nodiscard]] io::CommandFiles files_of_run(const planner::Configuration& configuration);

}  // namespace civitas::app
