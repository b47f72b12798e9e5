#pragma once
/// What a run has learnt, and how it is saved and taken up again.
#include "civitas/base/log.hpp"
#include "civitas/comm/mesh.hpp"
#include "civitas/environment/process.hpp"
#include "civitas/planner/execution_layout.hpp"
#include "civitas/tasks/gan_models.hpp"
#include "civitas/train/persistence.hpp"
#include "civitas/train/run_folder.hpp"

#include <filesystem>
#include <optional>
#include <set>

namespace civitas::train {

class RunState {
public:
    RunState(const planner::Configuration& configuration, const planner::ExecutionLayout& layout,
             const environment::Process& process, const comm::Mesh& mesh,
             const data::TileStore& store);

    [[nodiscard]] tasks::GanModels& models() noexcept { return models_; }
    [[nodiscard]] const tasks::GanModels& models() const noexcept { return models_; }
    [[nodiscard]] std::int64_t steps_done() const noexcept { return done_; }
    void step_done() noexcept { ++done_; }
    /// Samples of the steps before this run was taken up.
    [[nodiscard]] tasks::SamplesSeen samples_seen() const noexcept { return seen_; }
    /// Whether it goes on from a checkpoint.
    [[nodiscard]] bool resumed() const noexcept { return !resumed_from_.empty(); }
    /// Whether that checkpoint is of the run's own folder: then what is written there goes on.
    [[nodiscard]] bool goes_on() const noexcept { return resumed() && ours_; }

    /// Take up what --resume says; nothing in the folder changes. Collective; throws AgreedError.
    void resume(const RunFolder& folder, Log& log);
    /// Once the run is sure to go on: sets checkpoints of its folder aside that are later than what
    /// it was taken up from, as `.damaged` where they were passed over and `.abandoned` where
    /// --resume named an older file; all of them where that file is of another folder. Collective;
    /// throws AgreedError.
    void set_later_aside(const RunFolder& folder, Log& log) const;
    /// Makes the step it was taken up from the newest of its folder: saves it where that was
    /// another folder's. Prunes. A --resume of its own counts as obeyed from here on. Collective;
    /// throws AgreedError.
    void settle(const RunFolder& folder, Log& log);
    /// Write a checkpoint unless this step's exists already. Collective; throws AgreedError when
    /// replicas have drifted apart or the disk is full.
    void save(const RunFolder& folder, Log& log);
    /// Whether save() has been called for this step, with whatever end.
    [[nodiscard]] bool save_tried() const noexcept { return tried_ == done_; }
    /// Sum over all arrays, the same on any layout. Collective.
    [[nodiscard]] std::uint64_t fingerprint() const;

private:
    [[nodiscard]] std::vector<LocalShard> local_shards() const;
    [[nodiscard]] std::vector<checkpoint::Shard> shards_to_write() const;
    /// Of what lies along the data axis, and of what the tensor axis does not divide. Collective.
    void require_equal_copies() const;
    void load(const std::filesystem::path& file, Log& log);
    void prune(const RunFolder& folder, Log& log);
    void accept(const checkpoint::Header& header, Log& log) const;

    const planner::Configuration& config_;
    const comm::Mesh& mesh_;
    std::map<std::string, std::string> facts_, notes_;
    tasks::GanModels models_;
    tasks::SamplesSeen seen_;
    std::filesystem::path resumed_from_;
    bool ours_ = false;                      ///< that file is of the run's own folder
    std::set<std::filesystem::path> whole_;  ///< checkpoints that this process has seen to be so
    std::int64_t done_ = 0;
    std::int64_t tried_ = -1, saved_ = -1;
    std::optional<std::uint64_t> saved_fingerprint_;  ///< of what this process saved last
};

}  // namespace civitas::train
