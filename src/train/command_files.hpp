#pragma once
/// What commands read, for the check of their outputs.
#include "options.hpp"

#include "civitas/io/outputs.hpp"

namespace civitas::train {

/// What a run folder holds of its own, as files that `option` reads. `where` may also be a file, or
/// a folder of checkpoints.
void add_run(std::vector<io::NamedFile>& reads, const std::string& option,
             const std::filesystem::path& where);

/// The file that --schedule names; empty for a schedule of ours.
[[nodiscard]] std::string table_of(const LayoutOptions& layout);

/// What `train` reads, and its trace.
[[nodiscard]] io::CommandFiles files_of(const Configuration& configuration);

}  // namespace civitas::train
