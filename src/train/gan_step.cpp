#include "gan_step.hpp"

#include "diagnosis.hpp"
#include "pipe_view.hpp"

#include "civitas/base/clock.hpp"
#include "civitas/base/tree.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/schedule/gan.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <cmath>
#include <utility>

namespace civitas::train {
namespace {

using schedule::PassId;

nn::Target target_of(PassId pass) {
    if (pass == schedule::gan::real) return nn::Target::real;
    return pass == schedule::gan::fake ? nn::Target::fake : nn::Target::generator;
}

/// Mean and variance of every batch norm, one after the other.
at::Tensor flattened(const std::vector<nn::Statistics>& statistics) {
    std::vector<at::Tensor> parts;
    for (const auto& s : statistics) {
        parts.push_back(s.mean_C);
        parts.push_back(s.variance_C);
    }
    return at::cat(parts);
}

/// Rows of all ranks in rank order: of a table of `count` rows, shared out by block_range().
std::vector<at::Tensor> gathered(const comm::MpiCollectives& ranks, const at::Tensor& rows,
                                 std::int64_t count) {
    const at::Tensor mine = rows.cpu().contiguous();
    const at::Tensor table = at::empty({count, mine.size(1)}, mine.options());
    std::vector<Range> slices;
    for (int r = 0; r < ranks.size(); ++r) {
        const Range share = block_range(count, r, ranks.size());
        slices.push_back({share.begin * mine.size(1), share.count * mine.size(1)});
    }
    comm::part(table.view({-1}), ranks.own(slices)).copy_(mine.view({-1}));
    ranks.all_gather_slices(table.view({-1}), slices);
    return table.to(rows.device()).unbind(0);
}

}  // namespace

GanStep::GanStep(const comm::Mesh& mesh, const planner::ExecutionLayout& layout, StepShare share,
                 parallel::ModelState& generator, parallel::ModelState& discriminator,
                 std::function<at::Tensor()> next_real)
    : mesh_(mesh),
      data_axis_(mesh.group(Axis::data)),
      layout_(layout),
      share_(std::move(share)),
      precision_(share_.problem.precision),
      loss_{share_.hyperparameters.loss, share_.hyperparameters.label_smoothing},
      generator_(generator),
      discriminator_(discriminator),
      next_real_(std::move(next_real)),
      revocable_(mesh.backend().can_revoke()),
      awaited_(mesh.shape()[Axis::pipe] > 1 || mesh.shape()[Axis::tensor] > 1 ||
               share_.problem.sync_batch_norm) {}

void GanStep::begin(StepIndex step) {
    step_ = step;
    error_ = nullptr;
    fault_.reset();
    real_.clear();
    statistics_.clear();
    judged_.clear();
    read_ = 0;
    communication_ = 0;
    meeting_ = 0;
    can_meet_ = revocable_ || !awaited_;
}

void GanStep::fail_together(const comm::Outcome& error) {
    if (!can_meet_) return;
    if (!error_) error_ = error;
    mesh_.backend().revoke();
    require_good_step();
}

void GanStep::leave_together() {
    require_good_step();
    throw Error("no rank knows why the step was ended", Hint{"report it with the run's log"});
}

void GanStep::require_read_tiles() const { comm::require_agreement(mesh_.world(), error_); }

parallel::ModelState& GanStep::net(schedule::NetId which) {
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
    return train::latent(options, static_cast<std::uint64_t>(index(step_)), first_sample(micro),
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
    for (; read_ <= index(micro); ++read_) real_[LocalMicroBatch{read_}] = next_real();
    return real_.extract(micro).mapped().to(share_.device);
}

at::Tensor GanStep::augmented(PassId pass, LocalMicroBatch micro, const at::Tensor& image) const {
    const AugmentOptions options{Seed{share_.problem.seed}, share_.hyperparameters.instance_noise,
                                 share_.hyperparameters.translate};
    return train::augment(options, visit(pass, micro),
                          precision_ == net::Precision::fp64 ? image.to(at::kDouble) : image,
                          nn::compute_type(precision_));
}

at::Tensor GanStep::output_gradient(PassId pass, LocalMicroBatch micro,
                                    const at::Tensor& gradient) {
    const AugmentOptions options{Seed{share_.problem.seed}, 0, share_.hyperparameters.translate};
    return train::augment_backward(options, visit(pass, micro), gradient);
}

at::Tensor GanStep::loss_gradient(PassId pass, LocalMicroBatch micro, const at::Tensor& logits) {
    nn::Loss loss = nn::loss(loss_, target_of(pass), logits, share_.problem.batch);
    judged_[pass][micro] = {loss.value, loss.mean_probability};
    if (!std::isfinite(loss.value) && !fault_) fault_ = {pass, global(micro), loss.value};
    return loss.gradient;
}

void GanStep::record_statistics(const schedule::Action& visit,
                                const std::vector<nn::Statistics>& statistics) {
    if (!statistics.empty())
        statistics_[{visit.net, visit.stage, visit.pass}][visit.micro] = flattened(statistics);
}

void GanStep::require_good_step() {
    enum Trouble : std::int64_t { none, not_finite, failed };
    const Trouble mine = error_ ? failed : fault_ ? not_finite : none;
    const std::int64_t worst = mesh_.world().max(std::int64_t{mine});
    if (worst == none) return;
    can_meet_ = false;  // who fails while the cause is looked for is met by nobody
    if (worst == failed) comm::require_agreement(mesh_.world(), error_);
    require_finite_losses();
}

// Every rank comes here, so the ranks of a row look for the layer together.
void GanStep::require_finite_losses() {
    whole_ = false;
    const comm::Communicator& world = mesh_.world();
    const comm::Communicator& row = mesh_.group(Axis::pipe);
    const MicroBatch mine = fault_ ? fault_->micro : global(LocalMicroBatch{0});
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
                             index(fault_->micro), "; ", where),
                        Hint{"a lower --generator-lr or --discriminator-lr; the last "
                             "checkpoint is untouched"});
    });
}

void GanStep::met(const Stopwatch& begun) {
    const double seconds = begun.seconds();
    meeting_ += seconds;
    if (timeline_ == nullptr) return;
    const double now = timeline_->clock.seconds();
    timeline_->spans.push_back({Talk::meeting, now - seconds, now});
}

void GanStep::reduce(schedule::NetId which) {
    Stopwatch watch;
    require_good_step();
    can_meet_ = false;
    met(watch);
    watch.restart();
    net(which).reduce();
    const bool whole = std::exchange(whole_, false);
    require_finite(mesh_.world(), which, net(which).updater(), step_);
    whole_ = whole;
    communication_ += watch.seconds();
    can_meet_ = revocable_;  // for the statistics of update() ranks wait again
}

void GanStep::update(schedule::NetId which) {
    whole_ = false;
    for (auto& [of, mine] : statistics_) {
        const auto [of_net, stage, pass] = of;
        if (of_net != which || mine.empty()) continue;
        net(which).apply_statistics(stage, gathered_statistics(mine));
        mine.clear();
    }
    net(which).update();
    can_meet_ = revocable_ || !awaited_;
}

// With synchronised batch norm every rank has the statistics of the whole groups already.
std::vector<at::Tensor> GanStep::gathered_statistics(const ByMicro<at::Tensor>& mine) const {
    std::vector<at::Tensor> rows;
    for (const auto& [micro, statistics] : mine) rows.push_back(statistics);
    if (data_axis_.size() == 1 || share_.problem.sync_batch_norm) return rows;
    for (at::Tensor& row : rows) row = row.unsqueeze(0);
    return gathered(mesh_.mpi_collectives(), at::cat(rows), share_.problem.micro_batches());
}

GanStep::Judged GanStep::mean_over_batch(PassId pass) const {
    std::vector<Judged> mine;
    if (const auto found = judged_.find(pass); found != judged_.end())
        for (const auto& [micro, judged] : found->second) mine.push_back(judged);
    const auto all = data_axis_.all_gather(std::span<const Judged>(mine));
    if (all.empty()) return {};
    return tree_sum(
        0, static_cast<std::int64_t>(all.size()),
        [&](std::int64_t i) { return all[static_cast<std::size_t>(i)]; },
        [](Judged a, Judged b) {
            return Judged{a.loss + b.loss, a.probability + b.probability};
        });
}

// Only the coordinate of D's last stage has judged; it tells the others.
StepFigures GanStep::finish() {
    const Stopwatch watch;
    require_good_step();
    const Judged real = mean_over_batch(schedule::gan::real);
    const Judged fake = mean_over_batch(schedule::gan::fake);
    const Judged fool = mean_over_batch(schedule::gan::through);
    const StepFigures mine{real.loss + fake.loss, fool.loss, real.probability, fake.probability};
    const auto last = static_cast<int>(layout_.discriminator_stages.size()) - 1;
    const Rank judge{layout_.placement.coordinate_of(schedule::gan::discriminator, last)};
    const StepFigures figures = mesh_.group(Axis::pipe).broadcast(mine, judge);
    met(watch);
    whole_ = true;
    return figures;
}

}  // namespace civitas::train
