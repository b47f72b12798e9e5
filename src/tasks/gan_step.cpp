#include "civitas/tasks/gan_step.hpp"

#include "civitas/base/clock.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/schedule/gan.hpp"
#include "civitas/tasks/diagnosis.hpp"
#include "civitas/tasks/gan_values.hpp"
#include "civitas/tasks/pipe_view.hpp"

#include <ATen/ops/zeros.h>
#include <algorithm>
#include <cmath>

namespace civitas::tasks {
namespace {

using schedule::PassId;

nn::Target target_of(PassId pass) {
    if (pass == schedule::gan::real) return nn::Target::real;
    return pass == schedule::gan::fake ? nn::Target::fake : nn::Target::generator;
}

PipeCoordinate coordinate_of_losses(const planner::ExecutionLayout& layout) {
    const auto net = schedule::gan::discriminator;
    return layout.placement.coordinate_of(net, layout.stage_counts().last_of(net));
}

std::int64_t micro_batches_of_mesh(const StepShare& share) {
    return share.of_mesh == 0 ? share.problem.micro_batches() : share.of_mesh;
}

std::int64_t sums_of(const std::vector<schedule::Action>& actions) {
    return std::count_if(actions.begin(), actions.end(), [](const schedule::Action& a) {
        return a.kind == schedule::Kind::reduce;
    });
}

}  // namespace

std::vector<std::function<void(const at::Tensor&)>> input_work(
    const planner::Problem& problem, const planner::Hyperparameters& hyperparameters) {
    const AugmentOptions options{Seed{problem.seed}, hyperparameters.instance_noise,
                                 hyperparameters.translate};
    return {{}, [options, type = nn::compute_type(problem.precision)](const at::Tensor& x) {
                (void)augment(options, SampleRange{}, x, type);
            }};
}

GanStep::GanStep(const comm::Mesh& mesh, const planner::ExecutionLayout& layout, StepShare share,
                 optim::ModelState& generator, optim::ModelState& discriminator,
                 std::function<at::Tensor()> next_real)
    : mesh_(mesh),
      layout_(layout),
      share_(std::move(share)),
      precision_(share_.problem.precision),
      loss_{share_.hyperparameters.loss, share_.hyperparameters.label_smoothing},
      generator_(generator),
      discriminator_(discriminator),
      next_real_(std::move(next_real)),
      parts_(share_.micro_batches.count(), layout.replicas),
      revocable_(mesh.backend().can_revoke()),
      awaited_(mesh.shape()[Axis::pipe] > 1 || mesh.shape()[Axis::tensor] > 1 ||
               share_.problem.sync_batch_norm ||
               shards_gradients(level_among(mesh.shape()[Axis::data], layout.shard))),
      statistics_(mesh, micro_batches_of_mesh(share_), sharing_of(layout.shard),
                  share_.problem.sync_batch_norm),
      meeting_(mesh, {coordinate_of_losses(layout), 2 * std::int64_t{loss_passes.size()},
                      micro_batches_of_mesh(share_), sharing_of(layout.shard)}),
      sums_(sums_of(layout.schedule[mesh.coordinate().pipe()])) {}

void GanStep::begin(StepIndex step) {
    step_ = step;
    error_ = nullptr;
    fault_.reset();
    real_.clear();
    statistics_.clear();
    losses_.clear();
    read_ = 0;
    sums_met_ = 0;
    communication_ = 0;
    synchronisation_ = 0;
    exchanged_ = data_exchange_seconds();
    can_meet_ = revocable_ || !awaited_;
}

void GanStep::fail_together(const comm::Outcome& error) {
    if (!can_meet_) return;
    if (!error_) error_ = error;
    mesh_.backend().revoke();
    meet_early();
}

void GanStep::leave_together() {
    meet_early();
    throw Error("no rank knows why the step was ended", Hint{"report it with the run's log"});
}

void GanStep::require_read_tiles() const { comm::require_agreement(mesh_.world(), error_); }

optim::ModelState& GanStep::net(schedule::NetId which) {
    return which == schedule::gan::generator ? generator_ : discriminator_;
}

MicroBatch GanStep::global(LocalMicroBatch micro) const {
    return share_.micro_batches.global(micro);
}

Sample GanStep::first_sample(MicroBatch micro) const {
    return Sample{share_.samples.before(step_, share_.problem.batch) +
                  index(micro) * share_.problem.micro_batch};
}

SampleRange GanStep::visit(PassId pass, LocalMicroBatch micro) const {
    return {step_, pass, first_sample(global(micro))};
}

at::Tensor GanStep::input(PassId pass, LocalMicroBatch micro, const at::Tensor& output) {
    if (pass == schedule::gan::generate) return latent_of(global(micro));
    return augmented(pass, micro, output.defined() ? output : real(micro));
}

at::Tensor GanStep::latent_of(MicroBatch micro) const {
    const LatentOptions options{Seed{share_.problem.seed}, Purpose::latent,
                                share_.problem.gan().nz};
    const auto like = at::TensorOptions().dtype(nn::compute_type(precision_)).device(share_.device);
    return tasks::latent(options, static_cast<std::uint64_t>(index(step_)), first_sample(micro),
                         share_.problem.micro_batch, like);
}

// What cannot be read ends the step where all ranks meet, before anything is updated: until then
// empty tiles keep the messages between the ranks going.
at::Tensor GanStep::next_real() {
    try {
        return next_real_();
    } catch (...) {
        if (!error_) error_ = std::current_exception();
    }
    const auto channels = channels_of(share_.problem.coding());
    return at::zeros({share_.problem.micro_batch, channels, share_.problem.gan().pixels,
                      share_.problem.gan().pixels},
                     at::kFloat);
}

at::Tensor GanStep::real(LocalMicroBatch micro) {
    const std::lock_guard lock(reading_);
    while (!real_.contains(micro)) real_[parts_.in_turn(read_++)] = next_real();
    return real_.extract(micro).mapped().to(share_.device);
}

at::Tensor GanStep::augmented(PassId pass, LocalMicroBatch micro, const at::Tensor& image) const {
    const AugmentOptions options{Seed{share_.problem.seed}, share_.hyperparameters.instance_noise,
                                 share_.hyperparameters.translate};
    return tasks::augment(options, visit(pass, micro),
                          precision_ == net::Precision::fp64 ? image.to(at::kDouble) : image,
                          nn::compute_type(precision_));
}

at::Tensor GanStep::output_gradient(PassId pass, LocalMicroBatch micro,
                                    const at::Tensor& gradient) {
    const AugmentOptions options{Seed{share_.problem.seed}, 0, share_.hyperparameters.translate};
    return tasks::augment_backward(options, visit(pass, micro), gradient);
}

at::Tensor GanStep::loss_gradient(PassId pass, LocalMicroBatch micro, const at::Tensor& logits) {
    nn::Loss loss = nn::loss(loss_, target_of(pass), logits, share_.problem.batch);
    const std::lock_guard lock(recording_);
    losses_[pass][micro] = {loss.value, loss.mean_probability};
    // Of several replicas that of the first counts, as that of the first of several ranks does.
    if (!std::isfinite(loss.value) &&
        (!fault_ || parts_.replica_of(micro) < parts_.replica_of(fault_->micro)))
        fault_ = {pass, micro, loss.value};
    return loss.gradient;
}

void GanStep::record_statistics(const schedule::Action& visit,
                                const std::vector<nn::Statistics>& statistics) {
    const std::lock_guard lock(recording_);
    statistics_.record(visit, statistics);
}

Trouble GanStep::trouble() const noexcept {
    return error_ ? Trouble::failed : fault_ ? Trouble::not_finite : Trouble::none;
}

void GanStep::meet_early() {
    if (sums_met_ == sums_) return require_none(meeting_.meet({trouble()}, {}).worst());
    require_none(worst_of_all(trouble()));
}

Trouble GanStep::worst_of_all(Trouble mine) const {
    return static_cast<Trouble>(mesh_.world().max(static_cast<std::int64_t>(mine)));
}

void GanStep::require_none(Trouble worst) {
    if (worst == Trouble::none) return;
    can_meet_ = false;  // who fails while the cause is looked for is met by nobody
    if (worst == Trouble::failed) comm::require_agreement(mesh_.world(), error_);
    require_finite_losses();
}

void GanStep::meet_after_sum(schedule::NetId which) {
    optim::Updater& updater = net(which).updater();
    const Trouble worst = worst_of_all(updater.is_finite() ? Trouble::none : Trouble::not_finite);
    ++sums_met_;
    if (worst == Trouble::not_finite) {
        whole_ = can_meet_ = false;
        updater.take_back();
        throw_non_finite(mesh_.world(), which, updater, step_);
    }
    require_none(worst);
}

// Every rank comes here, so the ranks of a row look for the layer together.
void GanStep::require_finite_losses() {
    whole_ = false;
    const comm::Communicator& world = mesh_.world();
    const comm::Communicator& row = mesh_.group(Axis::pipe);
    const MicroBatch mine = global(fault_ ? fault_->micro : LocalMicroBatch{0});
    const MicroBatch micro{row.max(index(mine))};
    const std::string where = first_non_finite_layer(
        {generator_,
         pipe_view_of(mesh_, layout_, schedule::gan::generator, share_.problem.gan().generator)},
        {discriminator_, pipe_view_of(mesh_, layout_, schedule::gan::discriminator,
                                      share_.problem.gan().discriminator)},
        latent_of(micro));
    comm::agree(world, [&] {
        if (fault_)
            throw Error(text("the loss of pass ", schedule::gan::graph()[fault_->pass].name, " is ",
                             fault_->loss, " in step ", index(step_) + 1, ", micro-batch ",
                             index(mine), "; ", where),
                        Hint{"a lower --generator-lr or --discriminator-lr; the last "
                             "checkpoint is untouched"});
    });
}

void GanStep::met(const Stopwatch& begun) {
    const double seconds = begun.seconds();
    synchronisation_ += seconds;
    if (timeline_ == nullptr) return;
    const double now = timeline_->clock.seconds();
    timeline_->spans.push_back({Talk::meeting, now - seconds, now});
}

void GanStep::reduce(schedule::NetId which) {
    Stopwatch watch;
    meet_early();
    met(watch);
    watch.restart();
    double exchanged = data_exchange_seconds();
    can_meet_ = net(which).updater().reduce_is_revocable();
    net(which).reduce();
    if (net(which).updater().is_updating()) {  // mostly computed; what was exchanged is counted
        watch.restart();
        exchanged = data_exchange_seconds();
    }
    meet_after_sum(which);
    communication_ += watch.seconds();
    exchanged_ += data_exchange_seconds() - exchanged;
    can_meet_ = revocable_;  // for the statistics of update() ranks wait again
}

double GanStep::data_exchange_seconds() const { return mesh_.collectives(Axis::data).seconds(); }

double GanStep::communication_seconds() const {
    return communication_ + data_exchange_seconds() - exchanged_;
}

void GanStep::update(schedule::NetId which) {
    whole_ = false;
    statistics_.apply(which, net(which));
    net(which).update();
    can_meet_ = revocable_ || !awaited_;
}

std::vector<double> GanStep::own_figures() const {
    std::vector<double> figures;
    if (losses_.empty()) return figures;
    for (std::int64_t i = 0; i < share_.micro_batches.count(); ++i)
        for (const PassId pass : loss_passes) {
            const LossFigures& of_pass = losses_.at(pass).at(LocalMicroBatch{i});
            figures.insert(figures.end(), {of_pass.loss, of_pass.probability});
        }
    return figures;
}

StepResult GanStep::finish(RankReport mine) {
    const Stopwatch watch;
    mine.trouble = trouble();
    StepReports reports = meeting_.meet(
        mine, mine.trouble == Trouble::failed ? std::vector<double>{} : own_figures());
    met(watch);
    require_none(reports.worst());
    std::vector<StepValue> values = values_of(reports.figures);
    whole_ = true;
    return {std::move(values), std::move(reports)};
}

}  // namespace civitas::tasks
