#pragma once
/// test.jsonl: a line for each time that a classifier was tested.
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace civitas::report {

/// Means over the tiles of the test split.
struct TestScores {
    std::int64_t tiles = 0;
    double loss = 0;      ///< cross-entropy, without smoothing
    double first = 0;     ///< share whose class is told first
    double top_five = 0;  ///< share whose class is among the first five
};

/// `812 tiles: loss 0.312, top-1 91.3 %, top-5 99.8 %`.
[[nodiscard]] std::string in_words(const TestScores& scores);

/// Those of the last line of a file; nothing where there is none, or no file. Throws Error for a
/// file of something else.
[[nodiscard]] std::optional<TestScores> last_scores(const std::filesystem::path& file);

/// Whether a file has a line of a step; none has one that is not there. Throws Error.
[[nodiscard]] bool has_line(const std::filesystem::path& file, std::int64_t step);

/// Copies a file of lines, of scores or of metrics, that has some of a step or later, to its name
/// with `ending`, or the next that is free; returns that. Throws Error.
std::optional<std::filesystem::path> copy_if_lines_from(const std::filesystem::path& file,
                                                        std::int64_t step,
                                                        const std::string& ending);

/// Takes the lines of a step and of later ones out of a file that may be there. Throws Error.
void remove_lines_from(const std::filesystem::path& file, std::int64_t step);

/// Writes the line of a step in the place of those of this and later steps. Throws Error.
void keep_line(const std::filesystem::path& file, std::int64_t step, const TestScores& scores);

}  // namespace civitas::report
