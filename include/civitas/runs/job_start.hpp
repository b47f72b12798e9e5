#pragma once
/// Jobs that are started again with the words of the first time.
#include "civitas/base/log.hpp"
#include "civitas/base/process.hpp"
#include "civitas/comm/communicator.hpp"
#include "civitas/planner/options.hpp"
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

/// What --resume asks of this start. A job that is started again has the words of its first start,
/// and a file that was gone on from then must not undo what was learnt since. Collective; throws
/// AgreedError for a checkpoint that is not there.
[[nodiscard]] planner::Resume resume_of(const comm::Communicator& world,
                                        const planner::RunOptions& run_options, Log& log);

}  // namespace civitas::runs
