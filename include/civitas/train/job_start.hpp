#pragma once
/// What Slurm starts again with the words of the first time.
#include "civitas/base/process.hpp"
#include "civitas/train/run_folder.hpp"

#include <filesystem>

namespace civitas::train {

/// Whether an earlier start of the same job went on from `checkpoint` in this folder already: then
/// `--resume checkpoint` has been obeyed, and this start goes on from what was made since.
[[nodiscard]] bool was_resumed_before(const RunFolder& folder, const JobStart& now,
                                      const std::filesystem::path& checkpoint);

/// Remembers that this start goes on from `checkpoint`. Nothing outside of Slurm.
void remember_resumed(const RunFolder& folder, const JobStart& now,
                      const std::filesystem::path& checkpoint);

}  // namespace civitas::train
