#pragma once
/// Jobs that are started again with the words of the first time.
#include "civitas/base/process.hpp"
#include "civitas/runs/run_folder.hpp"

#include <filesystem>

namespace civitas::runs {

/// Whether an earlier start of the same job obeyed `--resume wanted` (a checkpoint, or never) in
/// this folder already: then this start goes on from what was made since.
[[nodiscard]] bool was_resumed_before(const RunFolder& folder, const JobStart& now,
                                      const std::filesystem::path& wanted);

/// Remembers that this start has obeyed `--resume wanted`. Nothing outside of such a job.
void remember_resumed(const RunFolder& folder, const JobStart& now,
                      const std::filesystem::path& wanted);

}  // namespace civitas::runs
