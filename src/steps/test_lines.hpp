#pragma once
/// test.jsonl: a line for each time that a classifier was tested.
#include "civitas/steps/test_scores.hpp"

#include <filesystem>
#include <string>

namespace civitas::steps {

/// `812 tiles: loss 0.312, top-1 91.3 %, top-5 99.8 %`.
[[nodiscard]] std::string in_words(const TestScores& scores);

/// Writes the line of a step in the place of those of this and later steps. Throws Error.
void keep_line(const std::filesystem::path& file, std::int64_t step, const TestScores& scores);

}  // namespace civitas::steps
