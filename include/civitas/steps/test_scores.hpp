#pragma once
/// How well a classifier tells the tiles that it does not learn from.
#include "civitas/report/test_scores.hpp"
#include "civitas/runs/run_state.hpp"
#include "civitas/steps/run.hpp"

namespace civitas::steps {

/// Tells the classes of all test tiles, with running statistics; the replicas share the tiles.
/// Collective; throws AgreedError.
[[nodiscard]] report::TestScores test_scores(const Run& run, runs::RunState& state);

/// The same, as a line of the log and of test.jsonl in the run folder, in the place of later lines
/// there. A store without test tiles has no line. Collective; throws AgreedError.
void keep_test_scores(const Run& run, runs::RunState& state);

}  // namespace civitas::steps
