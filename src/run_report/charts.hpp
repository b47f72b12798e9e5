#pragma once
/// What is drawn of a run's steps, alone and beside others'.
#include "civitas/run_report/run_report.hpp"

#include <string>
#include <vector>

namespace civitas::run_report {

inline constexpr double megabyte = 1e6;  // bytes

/// A chart with its heading; one without points is left out of a page.
struct Chart {
    std::string title;
    std::string about;
    report::LineChart lines;
};

/// Whether each step was made by one rank alone, while others made theirs.
[[nodiscard]] bool made_alone(const RunContents& run);
/// Tiles a second of all ranks; the plan of steps that are made alone is that of one rank.
/// Precondition: there is a plan.
[[nodiscard]] double planned_speed(const RunContents& run);

/// Losses, what D thinks of tiles, the scores of a classifier, speed, where the time goes, memory.
[[nodiscard]] std::vector<Chart> charts_of(const RunContents& run);

/// The same of several runs: a chart for each figure, a line for each run.
[[nodiscard]] std::vector<Chart> charts_of(std::span<const RunContents> runs);

}  // namespace civitas::run_report
