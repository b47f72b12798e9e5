#pragma once
/// The checkpoints that a run writes and keeps.
#include "civitas/base/clock.hpp"
#include "civitas/base/log.hpp"
#include "civitas/checkpoint/background.hpp"
#include "civitas/comm/mesh.hpp"
#include "civitas/planner/options.hpp"
#include "civitas/runs/persistence.hpp"
#include "civitas/runs/run_folder.hpp"

#include <filesystem>
#include <optional>
#include <set>
#include <vector>

namespace civitas::runs {

/// What a checkpoint is made of.
struct Snapshot {
    checkpoint::Header header;
    std::vector<LocalShard> local;           ///< all that this rank holds, for the drift check
    std::vector<checkpoint::Shard> writing;  ///< cut so that replicas share the writing
};

/// Writes snapshots at once or in the background, and removes what is not to be kept.
class Saves {
public:
    Saves(const planner::RunOptions& options, const comm::Mesh& mesh)
        : options_(options), mesh_(mesh) {}

    /// From here on saves may be written in the background, of snapshots like this one. Throws what
    /// comes of too little memory.
    void allow_background(const std::vector<checkpoint::Shard>& writing) {
        background_.emplace(mesh_.world(), writing);
    }

    /// Bytes of this rank's copy of what it writes, for saves in the background.
    [[nodiscard]] std::int64_t copy_bytes() const { return background_ ? background_->bytes() : 0; }

    /// The run goes on from a checkpoint of this step in its folder.
    void take_up(StepIndex step) { last_ = {step, std::nullopt}; }
    /// Of the newest checkpoint in the folder that this process knows of.
    [[nodiscard]] std::optional<StepIndex> last() const noexcept { return last_.step; }
    /// Of that checkpoint, if this process has written it.
    [[nodiscard]] std::optional<std::uint64_t> fingerprint() const { return last_.fingerprint; }

    /// Write a checkpoint, and prune. Collective; throws AgreedError when replicas have drifted
    /// apart or the disk is full.
    void write(const RunFolder& folder, const Snapshot& snapshot, Log& log);
    /// Begin to write one in the background: when this returns, what the snapshot shows may change.
    /// Collective; throws AgreedError as write() does. Preconditions: the background is allowed,
    /// none is on its way.
    void begin(const RunFolder& folder, const Snapshot& snapshot);
    [[nodiscard]] bool on_its_way() const { return background_ && background_->on_its_way(); }
    /// Whether this rank has done its part of what is on its way; what it tells the others.
    [[nodiscard]] bool done_here() const { return !background_ || background_->done_here(); }
    /// Once done_here() has been true on all ranks: the next phase, or name and pruning. `now`: the
    /// step that the run has reached. Collective; throws AgreedError when it cannot be written, and
    /// then none is on its way. Precondition: one is.
    void advance(const RunFolder& folder, StepIndex now, Log& log);
    /// Wait for what is on its way, if anything. Collective; throws as advance() does.
    void finish(const RunFolder& folder, StepIndex now, Log& log);

    /// Remove what is not to be kept after a save of step `newest`. Root only.
    void prune(const RunFolder& folder, StepIndex newest, Log& log);

private:
    /// Of what lies along the data axis, and of what the tensor axis does not divide. What the
    /// ranks of a node have once cannot drift there, and is compared between nodes. Collective.
    void require_equal_copies(const std::vector<LocalShard>& local) const;
    void note(const RunFolder& folder, StepIndex step, const checkpoint::Written& written,
              Log& log);

    struct Last {
        std::optional<StepIndex> step;
        std::optional<std::uint64_t> fingerprint;
    };
    const planner::RunOptions& options_;
    const comm::Mesh& mesh_;
    Last last_;
    std::set<std::filesystem::path> whole_;  ///< checkpoints that this process has seen to be so
    checkpoint::Spare spare_;                ///< for the next save; on the root
    std::optional<checkpoint::BackgroundSaver> background_;
    StepIndex step_{};       ///< of what is on its way
    Stopwatch since_begin_;  ///< of it
    double waited_s_ = 0;    ///< that training stood still for it
};

}  // namespace civitas::runs
