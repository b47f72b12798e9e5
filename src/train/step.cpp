#include "step.hpp"

#include "civitas/base/clock.hpp"
#include "civitas/base/tree.hpp"
#include "civitas/comm/agree.hpp"
#include "diagnosis.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/from_blob.h>
#include <cmath>

namespace civitas::train {
namespace {

using parallel::Pass;

std::size_t slot(Pass pass) { return static_cast<std::size_t>(pass); }

nn::Target target_of(Pass pass) {
    if (pass == Pass::real) return nn::Target::real;
    return pass == Pass::fake ? nn::Target::fake : nn::Target::fool;
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

/// One flat vector per micro-batch of every rank, in rank order.
template <class T>
std::vector<at::Tensor> gathered(const comm::Communicator& ranks, const at::Tensor& rows) {
    const at::Tensor host = rows.cpu().contiguous();
    const auto all = ranks.all_gather(
        std::span<const T>(host.data_ptr<T>(), static_cast<std::size_t>(host.numel())));
    const std::int64_t width = host.size(1);
    const auto count = static_cast<std::int64_t>(all.size()) / width;
    const at::Tensor table =
        at::from_blob(const_cast<T*>(all.data()), {count, width}, host.options())
            .clone()
            .to(rows.device());
    return table.unbind(0);
}

}  // namespace

TrainingStep::TrainingStep(const comm::Communicator& data_axis, StepShare share, Net& generator,
                           Net& discriminator, std::function<at::Tensor()> next_real)
    : data_axis_(data_axis),
      share_(std::move(share)),
      generator_(generator),
      discriminator_(discriminator),
      next_real_(std::move(next_real)),
      nz_(generator.description().input.channels) {}

void TrainingStep::begin(StepIndex step) {
    step_ = step;
    for (auto& of_pass : judged_) of_pass.clear();
    communication_ = 0;
}

Net& TrainingStep::net(parallel::Net which) {
    return which == parallel::Net::generator ? generator_ : discriminator_;
}

std::int64_t TrainingStep::global(MicroBatch micro) const {
    return share_.micro_batches.begin + index(micro);
}

Visit TrainingStep::visit(Pass pass, MicroBatch micro) const {
    const std::int64_t first =
        index(step_) * share_.task.batch + global(micro) * share_.task.micro_batch;
    return {step_, pass, Sample{first}};
}

at::Tensor TrainingStep::latent(MicroBatch micro) {
    const LatentOptions options{Seed{share_.task.seed}, Purpose::latent, nz_};
    const auto like = at::TensorOptions()
                          .dtype(compute_type(parse_precision(share_.task.precision)))
                          .device(share_.device);
    return train::latent(options, static_cast<std::uint64_t>(index(step_)),
                         visit(Pass::generate, micro).first, share_.task.micro_batch, like);
}

at::Tensor TrainingStep::real(MicroBatch) { return next_real_().to(share_.device); }

at::Tensor TrainingStep::seen(Pass pass, MicroBatch micro, const at::Tensor& image) {
    const SeenOptions options{Seed{share_.task.seed}, share_.recipe.instance_noise,
                              share_.recipe.translate};
    const auto precision = parse_precision(share_.task.precision);
    return train::seen(options, visit(pass, micro),
                       precision == Precision::fp64 ? image.to(at::kDouble) : image,
                       compute_type(precision));
}

at::Tensor TrainingStep::unseen(MicroBatch micro, const at::Tensor& gradient) {
    const SeenOptions options{Seed{share_.task.seed}, 0, share_.recipe.translate};
    return train::unseen(options, visit(Pass::generate, micro), gradient);
}

at::Tensor TrainingStep::judge(Pass pass, MicroBatch micro, const at::Tensor& logits) {
    const nn::LossOptions options{nn::parse_loss(share_.recipe.loss),
                                  share_.recipe.label_smoothing};
    nn::Loss loss = nn::loss(options, target_of(pass), logits, share_.task.batch);
    judged_[slot(pass)].push_back({loss.value, loss.mean_probability});
    if (!std::isfinite(loss.value) && fault_.empty())
        fault_ = text("the loss of pass ", to_string(pass), " is ", loss.value, " in step ",
                      index(step_) + 1, ", micro-batch ", global(micro), "; ",
                      first_non_finite_layer(generator_, discriminator_, latent(micro)));
    return loss.gradient;
}

void TrainingStep::observe(parallel::Net which, Pass pass, MicroBatch,
                           const std::vector<nn::Statistics>& statistics) {
    if (statistics.empty()) return;
    statistics_[which == parallel::Net::generator ? slot(Pass::generate) : slot(pass)].push_back(
        flattened(statistics));
}

void TrainingStep::reduce(parallel::Net which, std::span<const at::Tensor> sums) {
    const Stopwatch watch;
    comm::agree(data_axis_, [&] {
        if (!fault_.empty())
            throw Error(fault_, Hint{"a lower --generator-lr or --discriminator-lr; the last "
                                     "checkpoint is untouched"});
    });
    parallel::all_reduce(data_axis_, sums, net(which).layout().slices(data_axis_.size()),
                         share_.reduction);
    communication_ += watch.seconds();
}

void TrainingStep::update(parallel::Net which, const at::Tensor& gradient) {
    require_finite(which, net(which), gradient, step_);
    std::vector<Pass> passes{Pass::real, Pass::fake};
    if (which == parallel::Net::generator) passes = {Pass::generate};
    for (const Pass pass : passes) {
        auto& mine = statistics_[slot(pass)];
        if (!mine.empty()) net(which).apply_statistics(gathered_statistics(mine));
        mine.clear();
    }
    net(which).update(gradient);
}

// With synchronised batch norm every rank has the statistics of the whole groups already.
std::vector<at::Tensor> TrainingStep::gathered_statistics(
    const std::vector<at::Tensor>& mine) const {
    if (data_axis_.size() == 1 || share_.task.sync_batch_norm) return mine;
    std::vector<at::Tensor> rows;
    for (const at::Tensor& row : mine) rows.push_back(row.unsqueeze(0));
    const at::Tensor table = at::cat(rows);
    return table.scalar_type() == at::kDouble ? gathered<double>(data_axis_, table)
                                              : gathered<float>(data_axis_, table);
}

TrainingStep::Judged TrainingStep::mean_over_batch(Pass pass) const {
    const auto all = data_axis_.all_gather(std::span<const Judged>(judged_[slot(pass)]));
    if (all.empty()) return {};
    return tree_sum(
        0, static_cast<std::int64_t>(all.size()),
        [&](std::int64_t i) { return all[static_cast<std::size_t>(i)]; },
        [](Judged a, Judged b) {
            return Judged{a.loss + b.loss, a.probability + b.probability};
        });
}

StepFigures TrainingStep::finish() {
    const Stopwatch watch;
    const Judged real = mean_over_batch(Pass::real);
    const Judged fake = mean_over_batch(Pass::fake);
    const Judged fool = mean_over_batch(Pass::generate);
    communication_ += watch.seconds();
    return {real.loss + fake.loss, fool.loss, real.probability, fake.probability};
}

}  // namespace civitas::train
