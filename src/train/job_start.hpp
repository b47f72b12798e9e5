#pragma once
/// What Slurm starts again with the words of the first time.
#include "run_folder.hpp"

#include <filesystem>
#include <string>

namespace civitas::train {

/// A start of a job of Slurm's, as it numbers them; no job outside of Slurm.
struct JobStart {
    std::string job;
    std::int64_t restarts = 0;  ///< how often the job was queued again before
};
[[nodiscard]] JobStart this_job_start();

/// Whether an earlier start of the same job went on from `checkpoint` in this folder already: then
/// `--resume checkpoint` has been obeyed, and this start goes on from what was made since.
[[nodiscard]] bool was_resumed_before(const RunFolder& folder, const JobStart& now,
                                      const std::filesystem::path& checkpoint);

/// Remembers that this start goes on from `checkpoint`. Nothing outside of Slurm.
void remember_resumed(const RunFolder& folder, const JobStart& now,
                      const std::filesystem::path& checkpoint);

}  // namespace civitas::train
