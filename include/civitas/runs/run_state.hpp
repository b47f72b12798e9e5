#pragma once
/// What a run has learnt, and how it is saved and taken up again.
#include "civitas/runs/saves.hpp"

#include "civitas/base/log.hpp"
#include "civitas/comm/mesh.hpp"
#include "civitas/environment/process.hpp"
#include "civitas/planner/execution_layout.hpp"
#include "civitas/runs/conditions.hpp"
#include "civitas/runs/facts.hpp"
#include "civitas/runs/persistence.hpp"
#include "civitas/runs/run_folder.hpp"
#include "civitas/tasks/models.hpp"

#include <filesystem>
#include <optional>

namespace civitas::runs {

/// The checkpoint that --resume says; none: the run begins. Collective; throws AgreedError.
[[nodiscard]] std::optional<std::filesystem::path> checkpoint_to_resume(
    const comm::Communicator& world, const planner::Resume& how, const RunFolder& folder, Log& log);

class RunState {
public:
    RunState(const planner::Configuration& configuration, const planner::ExecutionLayout& layout,
             const environment::Process& process, const comm::Mesh& mesh,
             const data::TileStore& store,
             std::unique_ptr<memory::OffloadMemory> offload_to = nullptr,
             std::vector<optim::SharedModel*> shared = {});

    [[nodiscard]] tasks::Models& models() noexcept { return models_; }
    [[nodiscard]] const tasks::Models& models() const noexcept { return models_; }
    [[nodiscard]] std::int64_t steps_done() const noexcept { return done_; }
    void step_done() noexcept { ++done_; }
    /// Goes on as after so many steps, which others have made.
    void go_to(std::int64_t steps_done) noexcept { done_ = steps_done; }
    void go_to(std::int64_t steps_done, tasks::SamplesSeen seen) noexcept {
        done_ = steps_done;
        seen_ = seen;
    }
    /// Samples of the steps before this run was taken up.
    [[nodiscard]] tasks::SamplesSeen samples_seen() const noexcept { return seen_; }
    /// What plans are asked to be like.
    [[nodiscard]] const conditions::Conditions& conditions() const noexcept { return conditions_; }
    /// Whether it goes on from a checkpoint.
    [[nodiscard]] bool resumed() const noexcept { return !resumed_from_.empty(); }
    /// Whether that checkpoint is of the run's own folder: then what is written there goes on.
    [[nodiscard]] bool goes_on() const noexcept { return resumed() && ours_; }

    /// Take up a checkpoint, or with none begin; nothing in the folder changes. Collective; throws
    /// AgreedError.
    void resume(const std::optional<std::filesystem::path>& from, const RunFolder& folder,
                Log& log);
    /// Once the run is sure to go on: sets checkpoints of its folder aside that are later than what
    /// it was taken up from, as `.damaged` where they were passed over and `.abandoned` where
    /// --resume named an older file; all of them where that file is of another folder. Collective;
    /// throws AgreedError.
    void set_later_aside(const RunFolder& folder, Log& log) const;
    /// Makes the step it was taken up from the newest of its folder: saves it where that was
    /// another folder's. Prunes. A --resume of its own counts as obeyed from here on. Collective;
    /// throws AgreedError.
    void settle(const RunFolder& folder, Log& log);
    /// Write a checkpoint unless this step's exists already, once one that is on its way has been
    /// committed. Collective; throws AgreedError when replicas have drifted apart or the disk is
    /// full.
    void save(const RunFolder& folder, Log& log);
    /// The same in the background: the next step may be made when this returns. Collective; throws
    /// AgreedError as save() does. Precondition: --checkpoint-mode async.
    void begin_save(const RunFolder& folder, Log& log);
    [[nodiscard]] bool save_on_its_way() const { return saves_.on_its_way(); }
    /// Whether this rank has done its part of it; to be told to the others.
    [[nodiscard]] bool save_done_here() const { return saves_.done_here(); }
    /// Take it further, once all ranks have done their parts. Collective; throws AgreedError as
    /// save() does. Precondition: one is on its way.
    void advance_save(const RunFolder& folder, Log& log) {
        saves_.advance(folder, StepIndex{done_}, log);
    }
    /// Wait until none is on its way. Collective; throws AgreedError as save() does.
    void finish_save(const RunFolder& folder, Log& log) {
        saves_.finish(folder, StepIndex{done_}, log);
    }
    /// Whether save() or begin_save() has been called for this step, with whatever end.
    [[nodiscard]] bool save_tried() const noexcept { return tried_ == done_; }
    /// Bytes of this rank's copy of what it writes of a checkpoint in the background.
    [[nodiscard]] std::int64_t copy_bytes() const { return saves_.copy_bytes(); }
    /// Sum over all arrays, the same on any layout. Collective.
    [[nodiscard]] std::uint64_t fingerprint() const;

private:
    [[nodiscard]] std::vector<LocalShard> local_shards() const;
    [[nodiscard]] std::vector<checkpoint::Shard> shards_to_write() const;
    [[nodiscard]] Snapshot snapshot() const;
    [[nodiscard]] bool is_saved() const { return saves_.last() == StepIndex{done_}; }
    void load(const std::filesystem::path& file, Log& log);
    /// Whether facts differ, as allowed. Throws UsageError for what is not.
    [[nodiscard]] bool accept(const checkpoint::Header& header, Log& log) const;
    void keep_unchanged(Log& log) const;

    const planner::Configuration config_;  ///< with the length of the run
    const comm::Mesh& mesh_;
    conditions::Conditions conditions_;
    std::map<std::string, std::string> facts_, notes_;
    std::unique_ptr<memory::OffloadMemory> offload_to_;  ///< null where nothing is
    tasks::Models models_;
    tasks::SamplesSeen seen_;
    std::filesystem::path resumed_from_;
    StepIndex resumed_at_{0};  ///< the step of that file
    bool ours_ = false;        ///< that file is of the run's own folder
    bool changed_ = false;  ///< facts have, as allowed: it is to be saved again if no step follows
    std::int64_t done_ = 0;
    std::int64_t tried_ = -1;
    Saves saves_;
};

}  // namespace civitas::runs
