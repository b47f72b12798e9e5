#pragma once
/// What a run has told of its steps.
#include "civitas/report/lines.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace civitas::run_report {

/// Numbers by step, in ascending order, under the keys of a file of lines (metrics.jsonl,
/// test.jsonl).
struct History {
    std::map<std::string, std::vector<report::Point>> series;
    std::int64_t lines = 0;       ///< that could be read
    std::int64_t unreadable = 0;  ///< torn by a crash, or of something else
    [[nodiscard]] const std::vector<report::Point>& of(const std::string& key) const;
    /// The value of the last step under a key; NaN where there is none.
    [[nodiscard]] double last(const std::string& key) const;
    /// The median of the values under a key; NaN where there are none.
    [[nodiscard]] double median(const std::string& key) const;
};

/// The median of the y that are finite; NaN where there are none.
[[nodiscard]] double median(const std::vector<report::Point>& points);

/// Seconds in which all ranks together made one step more: what the step took, or less where ranks
/// make steps at the same time.
[[nodiscard]] std::vector<report::Point> seconds_of_steps(const History& steps);

/// Reads numbers that stand at the top of each line's object, and its "step"; lines may be in any
/// order. Empty where there is no file. Throws Error for one that cannot be read.
[[nodiscard]] History read_history(const std::filesystem::path& file);

/// Each y of one series divided by that of another at the same place, times `factor`.
[[nodiscard]] std::vector<report::Point> ratio(const std::vector<report::Point>& of,
                                               const std::vector<report::Point>& by,
                                               double factor = 1);

}  // namespace civitas::run_report
