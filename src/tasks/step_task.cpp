#include "civitas/tasks/step_task.hpp"

#include "civitas/base/clock.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/tasks/diagnosis.hpp"
#include "civitas/tasks/pipe_view.hpp"

#include <ATen/ops/zeros.h>
#include <algorithm>
#include <cmath>

namespace civitas::tasks {
namespace {

using schedule::PassId;

std::vector<PassId> loss_passes_of(const schedule::StepGraph& graph) {
    std::vector<PassId> passes = graph.pass_ids();
    std::erase_if(passes, [&](PassId pass) { return !graph.ends_in_loss(pass); });
    return passes;
}

/// Precondition: losses are taken of one net.
PipeCoordinate coordinate_of_losses(const planner::ExecutionLayout& layout, PassId pass) {
    const schedule::NetId net = layout.schedule.graph[pass].net;
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
      loss_passes_(loss_passes_of(layout.schedule.graph)),
      models_(models),
      next_tiles_(std::move(next_tiles)),
      parts_(share_.micro_batches.count(), layout.replicas),
      revocable_(mesh.backend().can_revoke()),
      awaited_(mesh.shape()[Axis::pipe] > 1 || mesh.shape()[Axis::tensor] > 1 ||
               share_.workload.sync_batch_norm ||
               shards_gradients(level_among(mesh.shape()[Axis::data], layout.shard))),
      statistics_(mesh, micro_batches_of_mesh(share_), sharing_of(layout.shard),
                  share_.workload.sync_batch_norm),
      meeting_(mesh,
               {coordinate_of_losses(layout, loss_passes_.front()), share_.objective->figures(),
                micro_batches_of_mesh(share_), sharing_of(layout.shard)}),
      sums_(sums_of(layout.schedule[mesh.coordinate().pipe()])) {}

void StepTask::begin(StepIndex step) {
    step_ = step;
    error_ = nullptr;
    fault_.reset();
    tiles_.clear();
    statistics_.clear();
    figures_.clear();
    remembered_.clear();
    read_ = 0;
    sums_met_ = 0;
    communication_ = 0;
    synchronisation_ = 0;
    exchanged_ = data_exchange_seconds();
    can_meet_ = revocable_ || !awaited_;
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

Sample StepTask::first_sample(MicroBatch micro) const {
    return Sample{share_.samples.before(step_, share_.workload.batch) +
                  index(micro) * share_.workload.micro_batch};
}

SampleRange StepTask::visit(PassId pass, MicroBatch micro) const {
    return {step_, pass, first_sample(micro)};
}

at::Tensor StepTask::input(PassId pass, LocalMicroBatch micro, const at::Tensor& output) {
    const bool reads =
        !output.defined() && share_.workload[layout_.schedule.graph[pass].net].reads_ahead;
    const SampleRange samples = visit(pass, global(micro));
    if (output.defined()) {
        auto numbers = share_.objective->remembered(samples, output);
        const std::lock_guard lock(recording_);
        remembered_[pass][micro] = std::move(numbers);
    }
    return share_.objective->input(samples, reads ? tiles(micro) : output);
}

// What cannot be read ends the step where all ranks meet, before anything is updated: until then
// empty tiles keep the messages between the ranks going.
at::Tensor StepTask::next_tiles() {
    try {
        return next_tiles_();
    } catch (...) {
        if (!error_) error_ = std::current_exception();
    }
    const auto& image = share_.workload[share_.workload.reader()].description.input;
    return at::zeros({share_.workload.micro_batch, image.channels, image.height, image.width},
                     at::kFloat);
}

at::Tensor StepTask::tiles(LocalMicroBatch micro) {
    const std::lock_guard lock(reading_);
    while (!tiles_.contains(micro)) tiles_[parts_.in_turn(read_++)] = next_tiles();
    return tiles_.extract(micro).mapped().to(share_.device);
}

at::Tensor StepTask::output_gradient(PassId pass, LocalMicroBatch micro,
                                     const at::Tensor& gradient) {
    std::vector<double> numbers;
    {
        const std::lock_guard lock(recording_);
        numbers = remembered_[pass][micro];
    }
    return share_.objective->output_gradient(visit(pass, global(micro)), gradient, numbers);
}

at::Tensor StepTask::loss_gradient(PassId pass, LocalMicroBatch micro, const at::Tensor& y) {
    PassLoss loss = share_.objective->loss(visit(pass, global(micro)), y);
    const double value = loss.figures.front();
    const std::lock_guard lock(recording_);
    figures_[pass][micro] = std::move(loss.figures);
    // Of several replicas that of the first counts, as that of the first of several ranks does.
    if (!std::isfinite(value) &&
        (!fault_ || parts_.replica_of(micro) < parts_.replica_of(fault_->micro)))
        fault_ = {pass, micro, value};
    return std::move(loss.gradient);
}

nn::SampleRange StepTask::samples(PassId /*pass*/, LocalMicroBatch micro) {
    return {share_.seed, first_sample(global(micro))};
}

void StepTask::record_statistics(const schedule::Action& visit,
                                 const std::vector<nn::Statistics>& statistics) {
    const std::lock_guard lock(recording_);
    statistics_.record(visit, statistics);
}

Trouble StepTask::trouble() const noexcept {
    return error_ ? Trouble::failed : fault_ ? Trouble::not_finite : Trouble::none;
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
        throw_non_finite(mesh_.world(), which, models_, step_);
    }
    require_none(worst);
}

// Every rank comes here, so the ranks of a row look for the layer together.
void StepTask::require_finite_losses() {
    whole_ = false;
    const comm::Communicator& world = mesh_.world();
    const comm::Communicator& row = mesh_.group(Axis::pipe);
    const MicroBatch mine = global(fault_ ? fault_->micro : LocalMicroBatch{0});
    const MicroBatch micro{row.max(index(mine))};
    const schedule::StepGraph& graph = layout_.schedule.graph;
    std::vector<NetView> views;
    for (const schedule::NetId net : graph.net_ids())
        views.push_back(
            {models_[net], pipe_view_of(mesh_, layout_, net, share_.workload[net].description)});
    // What is normalised with others cannot be without them, and workers of servers have no running
    // statistics; these do not normalise together.
    std::optional<nn::SampleRange> samples;
    if (!share_.workload.sync_batch_norm) samples = {share_.seed, first_sample(micro)};
    const std::string where = first_non_finite_layer(
        views, share_.objective->probe(visit(graph.pass_ids().front(), micro)), samples);
    comm::agree(world, [&] {
        if (fault_)
            throw Error(
                text("the loss of pass ", graph[fault_->pass].name, " is ", fault_->loss,
                     " in step ", index(step_) + 1, ", micro-batch ", index(mine), "; ", where),
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
    Stopwatch watch;
    meet_early();
    met(watch);
    watch.restart();
    double exchanged = data_exchange_seconds();
    can_meet_ = models_[which].updater().reduce_is_revocable();
    models_[which].reduce();
    if (models_[which].updater().is_updating()) {  // mostly computed; what was exchanged is counted
        watch.restart();
        exchanged = data_exchange_seconds();
    }
    meet_after_sum(which);
    communication_ += watch.seconds();
    exchanged_ += data_exchange_seconds() - exchanged;
    can_meet_ = revocable_;  // for the statistics of update() ranks wait again
}

double StepTask::data_exchange_seconds() const { return mesh_.collectives(Axis::data).seconds(); }

double StepTask::communication_seconds() const {
    return communication_ + data_exchange_seconds() - exchanged_;
}

void StepTask::update(schedule::NetId which) {
    whole_ = false;
    statistics_.apply(which, models_[which]);
    models_[which].update();
    can_meet_ = revocable_ || !awaited_;
}

std::vector<double> StepTask::own_figures() const {
    std::vector<double> figures;
    if (figures_.empty()) return figures;
    for (std::int64_t i = 0; i < share_.micro_batches.count(); ++i)
        for (const PassId pass : loss_passes_) {
            const std::vector<double>& of_pass = figures_.at(pass).at(LocalMicroBatch{i});
            figures.insert(figures.end(), of_pass.begin(), of_pass.end());
        }
    return figures;
}

std::vector<StepValue> StepTask::values_of_nothing() const {
    const Objective& objective = *share_.objective;
    return objective.values_of(std::vector<double>(static_cast<std::size_t>(objective.figures())));
}

StepResult StepTask::finish(RankReport mine) {
    const Stopwatch watch;
    mine.trouble = trouble();
    StepReports reports = meeting_.meet(
        mine, mine.trouble == Trouble::failed ? std::vector<double>{} : own_figures());
    met(watch);
    require_none(reports.worst());
    std::vector<StepValue> values = share_.objective->values_of(reports.figures);
    whole_ = true;
    return {std::move(values), std::move(reports)};
}

}  // namespace civitas::tasks
