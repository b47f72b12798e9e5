#pragma once
/// The parts of `civitas inspect` that have files of their own.
#include "civitas/comm/communicator.hpp"
#include "civitas/runs/run_folder.hpp"

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <string>

namespace civitas::app {

/// What a store holds; reads every tile once, so that it throws Error unless all are whole.
/// For one process.
void show_store(const comm::Communicator& alone, const std::filesystem::path& file,
                std::ostream& out);

/// How far a run got, a line or two: step of steps, and the figures of the last step. Empty before
/// the first.
[[nodiscard]] std::string progress_of(const runs::RunFolder& folder);
/// The steps that a run has made, as far as its metrics tell.
[[nodiscard]] std::int64_t steps_made(const runs::RunFolder& folder);

}  // namespace civitas::app
