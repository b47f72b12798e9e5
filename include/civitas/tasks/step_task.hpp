#pragma once
/// One step of training: what the executor's table needs from data, losses and updates.
#include "civitas/base/step_value.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/comm/mesh.hpp"
#include "civitas/memory/pending_numbers.hpp"
#include "civitas/parallel/executor.hpp"
#include "civitas/planner/execution_layout.hpp"
#include "civitas/planner/workload.hpp"
#include "civitas/tasks/models.hpp"
#include "civitas/tasks/objective.hpp"
#include "civitas/tasks/rank_inputs.hpp"
#include "civitas/tasks/recorded_losses.hpp"
#include "civitas/tasks/samples_seen.hpp"
#include "civitas/tasks/step_meeting.hpp"
#include "civitas/tasks/step_statistics.hpp"
#include "civitas/tasks/tiles_in_turn.hpp"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace civitas::tasks {

/// A step that all ranks have ended well.
struct StepResult {
    /// Means over the batch: the same bits on every rank, and on meshes of one tensor axis.
    std::vector<StepValue> values;
    StepReports reports;
};

/// What a rank computes of every step.
struct StepShare {
    planner::Workload workload;
    std::shared_ptr<const Objective> objective;
    Seed seed = {};
    MicroBatchShare micro_batches = {};            ///< of the step, this rank's
    std::int64_t of_mesh = 0;                      ///< that the ranks of the mesh make; 0: all
    SamplesSeen samples = {};                      ///< when the run was taken up
    at::Device device = at::kCPU;                  ///< of the first replica
    std::vector<at::Device> replica_devices = {};  ///< of each; empty: all on that
    /// Whether all that passes read goes to one place before a step begins: always on a GPU.
    bool inputs_stay = false;
    /// Whether the step that comes after one is the next by its number: then its tiles go to a GPU
    /// while that still computes.
    bool steps_follow = false;
};

/// Where a rank has several replicas, their threads ask for inputs and record what comes of them
/// all at once.
class StepTask final : public parallel::Task {
public:
    /// `next_tiles` delivers this rank's micro-batches of data in order, those of replicas in turn
    /// (see ReplicaParts); it is asked only where the first stage of the net is that sees them.
    StepTask(const comm::Mesh& mesh, const planner::ExecutionLayout& layout, StepShare share,
             Models& models, std::function<at::Tensor()> next_tiles);

    /// Makes these micro-batches of steps from now on, as many as before.
    void make(const MicroBatchShare& share) { share_.micro_batches = share; }
    /// Begins a step: call before the executor runs its table.
    void begin(StepIndex step);
    /// Makes an error in the middle of the table one of all ranks: throws it as an AgreedError on
    /// all of them where they meet next: before or after a sum, or at the end of the step. Who
    /// waits for another rank until then throws comm::Revoked and comes by leave_together().
    /// Returns where the ranks cannot meet: with NCCL wherever ranks wait for each other, and
    /// inside a sum in MPI's own order; the others have to be ended then.
    void fail_together(const comm::Outcome& error);
    /// Throws the AgreedError of the rank that fails. Collective with the fail_together() of that
    /// rank.
    void leave_together();
    /// Throws the AgreedError of a rank that could not read its tiles since begin(). For a table
    /// without sums, at whose end the ranks have not met. Collective.
    void require_read_tiles() const;
    /// False from the first update of a step, or the sum that makes it, to the end of the step, and
    /// once numbers have gone bad: what is held then is of no step, or of no use.
    [[nodiscard]] bool state_is_whole() const { return whole_ && !models_.any_is_updating(); }
    /// Writes meetings of the ranks down in a timeline from now on; nowhere for null.
    void record_to(Timeline* timeline) noexcept { timeline_ = timeline; }
    /// Ends the step: call when the executor has run the table. The trouble of `mine` is filled in
    /// here. Collective; throws AgreedError when the step failed on any rank or a loss is not
    /// finite.
    [[nodiscard]] StepResult finish(RankReport mine = {}, std::vector<PipeTraffic> traffic = {});
    /// Waits until a GPU that was left to decide by itself whether to update has done so: where the
    /// table ends. Throws as a sum does where losses or sums were not finite, and no weights have
    /// been updated then.
    void await_decisions();
    /// What finish() tells, with zeros.
    [[nodiscard]] std::vector<StepValue> values_of_nothing() const;
    /// Seconds since begin() spent on sums and exchanges over the data axis, and until the ranks
    /// had met before these.
    [[nodiscard]] double communication_seconds() const;
    [[nodiscard]] double synchronisation_seconds() const noexcept { return synchronisation_; }

    [[nodiscard]] at::Tensor input(schedule::PassId pass, LocalMicroBatch micro,
                                   const at::Tensor& output) override;
    [[nodiscard]] at::Tensor output_gradient(schedule::PassId pass, LocalMicroBatch micro,
                                             const at::Tensor& gradient) override;
    [[nodiscard]] parallel::PassLoss loss(schedule::PassId pass, LocalMicroBatch micro,
                                          const at::Tensor& y) override;
    void record_loss(schedule::PassId pass, LocalMicroBatch micro,
                     const at::Tensor& figures) override;
    [[nodiscard]] nn::SampleRange samples(schedule::PassId pass, LocalMicroBatch micro) override;
    void record_statistics(const schedule::Action& visit,
                           const std::vector<nn::Statistics>& statistics) override;
    void reduce(schedule::NetId net) override;
    void update(schedule::NetId net) override;

private:
    /// A value for each of this rank's micro-batches, ascending.
    template <class T>
    using ByMicro = std::map<LocalMicroBatch, T>;

    /// Whether a net is updated: if the number, a double on the device, is finite.
    struct LeftToDevice {
        schedule::NetId net{};
        at::Tensor condition;
        memory::PendingNumbers number;
    };

    [[nodiscard]] Sample first_sample(StepIndex step, MicroBatch micro) const;
    [[nodiscard]] at::Tensor next_tiles();
    /// Brings what the passes of the step read to where they read it.
    void put_inputs(RankInputs& inputs);
    /// Calls with(micro, tiles) for all of a step.
    void each_tiles(const std::function<void(LocalMicroBatch, const at::Tensor&)>& with);
    void put_draws(RankInputs& inputs, StepIndex step);
    /// Brings what the next step reads on its way, when all passes of this one have been launched.
    void put_inputs_ahead(RankInputs& inputs);
    /// The trouble that this rank has met in the step so far.
    [[nodiscard]] Trouble trouble();
    /// Ends the step if it has failed on any rank, or if a loss is not finite: where the ranks meet
    /// next, before or after a sum or at the end. Collective.
    void meet_early();
    /// Ends the step if it has failed on any rank in this sum, or if the sum is not finite.
    /// Collective with meet_early() of a rank that fails in the sum.
    void meet_after_sum(schedule::NetId which);
    /// Collective over all ranks.
    [[nodiscard]] Trouble worst_of_all(Trouble mine) const;
    /// After the sum of a net that nobody else trains: leaves it to the GPU to update only if all
    /// losses and sums of the step so far are finite. False where it cannot, or where the step has
    /// failed already.
    [[nodiscard]] bool leave_to_device(schedule::NetId which);
    /// Ends the step on all ranks unless `worst`, the worst trouble of any rank, is none.
    /// Collective.
    void require_none(Trouble worst);
    void require_finite_losses();
    /// Adds the time since `begun` to what meetings took.
    void met(const Stopwatch& begun);
    [[nodiscard]] MicroBatch global(LocalMicroBatch micro) const;
    /// Tiles x_BCHW as they were read.
    [[nodiscard]] at::Tensor tiles(LocalMicroBatch micro);
    [[nodiscard]] SampleRange visit(StepIndex step, schedule::PassId pass, MicroBatch micro) const;
    /// What is drawn for a visit, on the compute device.
    [[nodiscard]] at::Tensor draws(schedule::PassId pass, LocalMicroBatch micro) const;
    /// Since the mesh was made.
    [[nodiscard]] double data_exchange_seconds() const;
    /// Whether nobody else takes part in the step, nor in the updates of a net.
    [[nodiscard]] bool is_alone_with(schedule::NetId which) const;

    const comm::Mesh& mesh_;
    const planner::ExecutionLayout& layout_;
    StepShare share_;
    Models& models_;
    std::function<at::Tensor()> next_tiles_;
    TilesInTurn tiles_;
    bool revocable_;  ///< whether who waits for another rank hears that one has failed
    bool awaited_;    ///< whether ranks wait for each other before they meet
    StepIndex step_{};
    std::optional<RankInputs> inputs_;
    std::optional<StepIndex> ahead_of_;  ///< the step whose inputs are on their way
    comm::Outcome error_ahead_;          ///< of reading its tiles
    std::mutex recording_;               ///< guards what is recorded of micro-batches
    std::map<schedule::PassId, ByMicro<at::Tensor>> remembered_;
    RecordedLosses losses_;
    StepStatistics statistics_;
    std::vector<LeftToDevice> undecided_;  ///< in this step
    comm::Outcome error_;                  ///< that ends this step where the ranks meet next
    StepMeeting meeting_;
    bool reads_;                    ///< whether the first stage of the net that sees tiles is here
    std::int64_t sums_ = 0;         ///< of a step
    std::int64_t sums_met_ = 0;     ///< after which the ranks have met in this step
    bool can_meet_ = false;         ///< whether all ranks will come to the next meeting
    bool replicas_follow_ = false;  ///< whether those elsewhere have had the weights once
    bool whole_ = true;
    double communication_ = 0;  ///< of sums
    double exchanged_ = 0;      ///< of exchanges over the data axis, before the step and in sums
    double synchronisation_ = 0;
    Timeline* timeline_ = nullptr;
};

}  // namespace civitas::tasks
