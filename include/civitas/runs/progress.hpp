#pragma once
/// How far a run has got, as its metrics tell.
#include "civitas/runs/run_folder.hpp"

#include <cstdint>
#include <string>

namespace civitas::runs {

/// A line or two: step of steps, and the figures of the last step. Empty before the first.
[[nodiscard]] std::string progress_of(const RunFolder& folder);
/// The steps that a run has made.
[[nodiscard]] std::int64_t steps_made(const RunFolder& folder);

}  // namespace civitas::runs
