#include "civitas/tasks/step_task.hpp"

#include "civitas/base/clock.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/tasks/diagnosis.hpp"
#include "civitas/tasks/pipe_view.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace civitas::tasks {
namespace {

using schedule::PassId;

std::vector<PassId> loss_passes_of(const schedule::StepGraph& graph) {
    std::vector<PassId> passes = graph.pass_ids();
    std::erase_if(passes, [&](PassId pass) { return !graph.ends_in_loss(pass); });
    return passes;
}

/// Precondition: losses are taken of one net.
PipeCoordinate coordinate_of_losses(const planner::ExecutionLayout& layout) {
    const schedule::StepGraph& graph = layout.schedule.graph;
    const schedule::NetId net = graph[loss_passes_of(graph).front()].net;
    return layout.placement.coordinate_of(net, layout.stage_counts().last_of(net));
}

std::int64_t micro_batches_of_mesh(const StepShare& share) {
    return share.of_mesh == 0 ? share.workload.micro_batches() : share.of_mesh;
}

std::int64_t sums_of(const std::vector<schedule::Action>& actions) {
    return std::count_if(actions.begin(), actions.end(), [](const schedule::Action& a) {
        return a.kind == schedule::Kind::reduce;
    });
}

}  // namespace

StepTask::StepTask(const comm::Mesh& mesh, const planner::ExecutionLayout& layout, StepShare share,
                   Models& models, std::function<at::Tensor()> next_tiles)
    : mesh_(mesh),
      layout_(layout),
      share_(std::move(share)),
      models_(models),
      next_tiles_(std::move(next_tiles)),
      tiles_({share_.micro_batches.count(), layout.replicas},
             [this] { return this->next_tiles(); }),
      revocable_(mesh.backend().can_revoke()),
      awaited_(mesh.shape()[Axis::pipe] > 1 || mesh.shape()[Axis::tensor] > 1 ||
               share_.workload.sync_batch_norm ||
               shards_gradients(level_among(mesh.shape()[Axis::data], layout.shard))),
      losses_(loss_passes_of(layout.schedule.graph),
              {share_.micro_batches.count(), layout.replicas}, share_.device),
      statistics_(mesh, micro_batches_of_mesh(share_), sharing_of(layout.shard),
                  share_.workload.sync_batch_norm),
      meeting_(mesh, {coordinate_of_losses(layout), share_.objective->figures(),
                      micro_batches_of_mesh(share_), sharing_of(layout.shard)}),
      reads_(reads_tiles(mesh, layout, share_.workload)),
      sums_(sums_of(layout.schedule[mesh.coordinate().pipe()])) {
    if (share_.replica_devices.empty())
        share_.replica_devices.assign(static_cast<std::size_t>(layout.replicas), share_.device);
    if (share_.inputs_stay || !share_.device.is_cpu())
        inputs_.emplace(share_.replica_devices,
                        ReplicaParts(share_.micro_batches.count(), layout.replicas));
}

void StepTask::begin(StepIndex step) {
    step_ = step;
    error_ = nullptr;
    tiles_.begin();
    statistics_.clear();
    losses_.clear();
    undecided_.clear();
    remembered_.clear();
    sums_met_ = 0;
    communication_ = 0;
    synchronisation_ = 0;
    exchanged_ = data_exchange_seconds();
    can_meet_ = revocable_ || !awaited_;
    if (inputs_) put_inputs(*inputs_);
    if (!std::exchange(replicas_follow_, true))
        for (const schedule::NetId net : layout_.schedule.graph.net_ids()) models_.follow(net);
}

void StepTask::fail_together(const comm::Outcome& error) {
    if (!can_meet_) return;
    if (!error_) error_ = error;
    mesh_.backend().revoke();
    meet_early();
}

void StepTask::leave_together() {
    meet_early();
    throw Error("no rank knows why the step was ended", Hint{"report it with the run's log"});
}

void StepTask::require_read_tiles() const { comm::require_agreement(mesh_.world(), error_); }

MicroBatch StepTask::global(LocalMicroBatch micro) const {
    return share_.micro_batches.global(micro);
}

Sample StepTask::first_sample(StepIndex step, MicroBatch micro) const {
    return Sample{share_.samples.before(step, share_.workload.batch) +
                  index(micro) * share_.workload.micro_batch};
}

SampleRange StepTask::visit(StepIndex step, PassId pass, MicroBatch micro) const {
    return {step, pass, first_sample(step, micro)};
}

parallel::PassLoss StepTask::loss(PassId pass, LocalMicroBatch micro, const at::Tensor& y) {
    return share_.objective->loss(pass, y, draws(pass, micro));
}

void StepTask::record_loss(PassId pass, LocalMicroBatch micro, const at::Tensor& figures) {
    const std::lock_guard lock(recording_);
    losses_.record(pass, micro, figures);
}

nn::SampleRange StepTask::samples(PassId /*pass*/, LocalMicroBatch micro) {
    return {share_.seed, first_sample(step_, global(micro))};
}

void StepTask::record_statistics(const schedule::Action& visit,
                                 const std::vector<nn::Statistics>& statistics) {
    const std::lock_guard lock(recording_);
    statistics_.record(visit, statistics);
}

Trouble StepTask::trouble() {
    return error_ ? Trouble::failed : losses_.fault() ? Trouble::not_finite : Trouble::none;
}

void StepTask::meet_early() {
    if (sums_met_ == sums_) return require_none(meeting_.meet({trouble()}, {}).worst());
    require_none(worst_of_all(trouble()));
}

Trouble StepTask::worst_of_all(Trouble mine) const {
    return static_cast<Trouble>(mesh_.world().max(static_cast<std::int64_t>(mine)));
}

void StepTask::require_none(Trouble worst) {
    if (worst == Trouble::none) return;
    can_meet_ = false;  // who fails while the cause is looked for is met by nobody
    if (worst == Trouble::failed) comm::require_agreement(mesh_.world(), error_);
    require_finite_losses();
}

void StepTask::meet_after_sum(schedule::NetId which) {
    optim::Updater& updater = models_[which].updater();
    const Trouble worst = worst_of_all(updater.is_finite() ? Trouble::none : Trouble::not_finite);
    ++sums_met_;
    if (worst == Trouble::not_finite) {
        whole_ = can_meet_ = false;
        updater.take_back();
        throw non_finite_gradient(mesh_.world(), which, models_, step_);
    }
    require_none(worst);
}

// Every rank comes here, so the ranks of a row look for the layer together.
void StepTask::require_finite_losses() {
    whole_ = false;
    const comm::Communicator& world = mesh_.world();
    const comm::Communicator& row = mesh_.group(Axis::pipe);
    const std::optional<LossFault>& fault = losses_.fault();
    const MicroBatch mine = global(fault ? fault->micro : LocalMicroBatch{0});
    const MicroBatch micro{row.max(index(mine))};
    const schedule::StepGraph& graph = layout_.schedule.graph;
    std::vector<NetView> views;
    for (const schedule::NetId net : graph.net_ids())
        views.push_back(
            {models_[net], pipe_view_of(mesh_, layout_, net, share_.workload[net].description)});
    // What is normalised with others cannot be without them, and workers of servers have no running
    // statistics; these do not normalise together.
    std::optional<nn::SampleRange> samples;
    if (!share_.workload.sync_batch_norm) samples = {share_.seed, first_sample(step_, micro)};
    const std::string where = first_non_finite_layer(
        views, share_.objective->probe(visit(step_, graph.pass_ids().front(), micro)), samples);
    comm::agree(world, [&] {
        if (fault)
            throw Error(
                text("the loss of pass ", graph[fault->pass].name, " is ", fault->loss, " in step ",
                     index(step_) + 1, ", micro-batch ", index(mine), "; ", where),
                Hint{models_.lower_rates() + "; what was saved stays"});
    });
}

void StepTask::met(const Stopwatch& begun) {
    const double seconds = begun.seconds();
    synchronisation_ += seconds;
    if (timeline_ == nullptr) return;
    const double now = timeline_->clock.seconds();
    timeline_->spans.push_back({Talk::meeting, now - seconds, now});
}

void StepTask::reduce(schedule::NetId which) {
    if (inputs_ && share_.steps_follow && sums_met_ + 1 == sums_) put_inputs_ahead(*inputs_);
    // A GPU of one rank sums before losses are known: nobody else has to know them.
    const bool sums_ahead = is_alone_with(which) && !share_.device.is_cpu();
    if (sums_ahead) models_[which].reduce();
    if (sums_ahead && leave_to_device(which)) return;
    (void)trouble();  // what is computed until losses are known is no part of the meeting
    Stopwatch watch;
    meet_early();
    met(watch);
    watch.restart();
    double exchanged = data_exchange_seconds();
    can_meet_ = models_[which].updater().reduce_is_revocable();
    if (!sums_ahead) models_[which].reduce();
    if (models_[which].updater().is_updating()) {  // mostly computed; what was exchanged is counted
        watch.restart();
        exchanged = data_exchange_seconds();
    }
    meet_after_sum(which);
    communication_ += watch.seconds();
    exchanged_ += data_exchange_seconds() - exchanged;
    can_meet_ = revocable_;  // for the statistics of update() ranks wait again
}

bool StepTask::leave_to_device(schedule::NetId which) {
    const at::Tensor condition = models_[which].updater().condition();
    // With others' moments, a bad layer is looked for by running statistics, which do not wait.
    if (error_ || !condition.defined() || share_.workload.sync_batch_norm) return false;
    losses_.add_to(condition);
    losses_.begin_reading();
    if (!undecided_.empty()) condition.add_(undecided_.back().condition);
    undecided_.push_back({which, condition, memory::PendingNumbers({condition.view({1})})});
    ++sums_met_;
    return true;
}

void StepTask::await_decisions() {
    const auto undecided = std::exchange(undecided_, {});
    if (undecided.empty()) return;
    if (error_) require_none(Trouble::failed);
    for (const LeftToDevice& one : undecided) {
        if (losses_.next_fault()) require_none(Trouble::not_finite);
        if (!std::isfinite(one.number.wait().front())) {
            whole_ = can_meet_ = false;
            optim::Updater& updater = models_[one.net].updater();
            updater.recall();  // the sum of leaves that are past
            const auto bad = non_finite_gradient(mesh_.world(), one.net, models_, step_);
            updater.restart();
            throw bad;
        }
    }
}

double StepTask::data_exchange_seconds() const { return mesh_.collectives(Axis::data).seconds(); }

double StepTask::communication_seconds() const {
    return communication_ + data_exchange_seconds() - exchanged_;
}

bool StepTask::is_alone_with(schedule::NetId which) const {
    return mesh_.world().size() == 1 && !models_[which].is_shared();
}

void StepTask::update(schedule::NetId which) {
    whole_ = false;
    optim::ModelState& model = models_[which];
    // Of one rank, the device updates weights while the host launches what statistics need.
    const bool weights_first = is_alone_with(which);
    if (weights_first) model.update();
    statistics_.apply(which, model);
    if (!weights_first) model.update();
    models_.follow(which);
    model.mix_statistics(model.updater().updates());
    can_meet_ = revocable_ || !awaited_;
}

std::vector<StepValue> StepTask::values_of_nothing() const {
    const Objective& objective = *share_.objective;
    return objective.values_of(std::vector<double>(static_cast<std::size_t>(objective.figures())));
}

StepResult StepTask::finish(RankReport mine, std::vector<PipeTraffic> traffic) {
    mine.trouble = trouble();
    const Stopwatch watch;
    std::vector<double> losses;
    if (mine.trouble != Trouble::failed) losses = losses_.all(share_.micro_batches.count());
    StepReports reports = meeting_.meet(mine, std::move(losses), std::move(traffic));
    met(watch);
    require_none(reports.worst());
    std::vector<StepValue> values = share_.objective->values_of(reports.figures);
    whole_ = true;
    return {std::move(values), std::move(reports)};
}

}  // namespace civitas::tasks
