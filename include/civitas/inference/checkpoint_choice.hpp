#pragma once
/// The checkpoint that --checkpoint names, and the nets in it.
#include "civitas/base/log.hpp"
#include "civitas/checkpoint/checkpoint.hpp"
#include "civitas/comm/communicator.hpp"
#include "civitas/planner/options.hpp"

#include <filesystem>
#include <functional>

namespace civitas::inference {

/// Calls `read` with the checkpoint that `where` names: itself, or the newest whole one of a run
/// folder or a folder. A training that goes on there may remove the file meanwhile: then `read` is
/// called again, with the next one. Collective; throws AgreedError when there is none, and what
/// `read` throws.
void read_checkpoint(const comm::Communicator& world, const std::filesystem::path& where, Log& log,
                     const std::function<void(const std::filesystem::path& file)>& read);

/// The problem whose nets a checkpoint holds. Throws Error when its facts, which may be anybody's
/// idea, describe none.
[[nodiscard]] planner::Problem problem_in(const std::filesystem::path& file,
                                          const checkpoint::Header& header);

}  // namespace civitas::inference
