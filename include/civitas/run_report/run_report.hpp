#pragma once
/// Runs as pages to look at.
#include "civitas/report/page.hpp"
#include "civitas/run_report/history.hpp"
#include "civitas/runs/planned.hpp"

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace civitas::run_report {

struct CheckpointLine {
    std::string file;
    std::uintmax_t bytes = 0;
    std::string state;  ///< "fingerprint ...", or why it cannot be read
};

/// What a run folder holds.
struct RunContents {
    std::filesystem::path folder;
    std::string configuration = {};
    History steps = {};
    History tests = {};  ///< of a classifier
    std::optional<runs::Planned> planned = {};
    std::string why_not_planned = {};                 ///< where there is a file that is no plan
    std::string schedule = {};                        ///< SVG; may be empty
    std::vector<std::filesystem::path> samples = {};  ///< from first to last
    std::vector<CheckpointLine> checkpoints = {};     ///< newest first
    [[nodiscard]] std::string name() const;
};

/// What a run is called: the last part of its folder's path.
[[nodiscard]] std::string name_of(const std::filesystem::path& folder);

/// Throws Error, with a hint, for what is no run folder and for files that cannot be read, but
/// checkpoints and plan.json: what was said of those stands in their place.
[[nodiscard]] RunContents read_run(const std::filesystem::path& folder);

/// One page of a run, which needs nothing but itself. `more` stands before the configuration.
[[nodiscard]] std::string to_page(const RunContents& run, const std::vector<report::Section>& more);
/// A colour for each.
inline constexpr std::size_t most_runs = 6;
/// One page of several runs: most_runs at most.
[[nodiscard]] std::string to_page(std::span<const RunContents> runs);

}  // namespace civitas::run_report
