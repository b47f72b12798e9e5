#pragma once
/// The folder of a run: what lies where. Made by the root, used by all.
#include "civitas/base/error.hpp"
#include "civitas/comm/communicator.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace civitas::runs {

struct RunFolder {
    std::filesystem::path root;

    [[nodiscard]] std::filesystem::path configuration() const { return root / "config.ini"; }
    [[nodiscard]] std::filesystem::path profile() const { return root / "profile.json"; }
    [[nodiscard]] std::filesystem::path metrics() const { return root / "metrics.jsonl"; }
    /// What a step should take, and a picture of it.
    [[nodiscard]] std::filesystem::path plan() const { return root / "plan.json"; }
    [[nodiscard]] std::filesystem::path schedule() const { return root / "schedule.svg"; }
    /// Of a classifier.
    [[nodiscard]] std::filesystem::path test_scores() const { return root / "test.jsonl"; }
    [[nodiscard]] std::filesystem::path checkpoints() const { return root / "checkpoints"; }
    /// Sheets of plans.
    [[nodiscard]] std::filesystem::path samples() const { return root / "samples"; }
    [[nodiscard]] std::filesystem::path stopped() const { return root / "stopped"; }
    [[nodiscard]] std::filesystem::path lock() const { return root / "lock"; }
    /// The file that a job which was queued again went on from.
    [[nodiscard]] std::filesystem::path resumed() const { return root / "resumed"; }
    [[nodiscard]] std::filesystem::path sample(std::int64_t step) const;
    [[nodiscard]] std::filesystem::path log(Rank rank) const;
    /// What the watchdog of a rank found when nobody of its node moved.
    [[nodiscard]] std::filesystem::path hang(Rank rank) const;
};

/// The sheets that are there, in the order of their names; those that were set aside are none.
[[nodiscard]] std::vector<std::filesystem::path> samples_in(const RunFolder& folder);

/// What to say of a folder that is no run's: the runs that lie in it, as those of a population do,
/// or else `otherwise`.
[[nodiscard]] Hint runs_in(const std::filesystem::path& folder, Hint otherwise);

/// Makes the folder of a run. Collective. Throws AgreedError when it cannot be made or written.
[[nodiscard]] RunFolder make_run_folder(const comm::Communicator& world, const std::string& name);

/// Throws UsageError where a configuration lies in a run folder, and the run that it names is
/// another: the folder was moved or copied.
void require_own_folder(const std::filesystem::path& file, const std::filesystem::path& run);

}  // namespace civitas::runs
