#pragma once
/// plan.json: where a run computes, and what a step of it should take.
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace civitas::runs {

/// Of the last start of a run.
struct Planned {
    std::string program = {};  ///< with its version
    int ranks = 0;
    std::string mesh = {};
    std::string schedule = {};
    int threads = 0;                ///< of a rank
    std::string instructions = {};  ///< the set that all ranks have
    double seconds = 0;             ///< of a step
    double bubble = 0;              ///< share of a step
    std::int64_t bytes = 0;         ///< of the rank that needs most
    std::int64_t tiles = 0;         ///< of a step
};

/// One JSON object.
[[nodiscard]] std::string to_json(const Planned& planned);
/// What is in a file; nothing where there is none. Throws Error for a file of something else.
[[nodiscard]] std::optional<Planned> read_planned(const std::filesystem::path& file);

}  // namespace civitas::runs
