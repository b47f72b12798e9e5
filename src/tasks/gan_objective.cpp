#include "civitas/tasks/gan_objective.hpp"

#include "civitas/nn/number_types.hpp"
#include "civitas/nn/projection.hpp"
#include "civitas/schedule/gan.hpp"
#include "civitas/tasks/cover_error.hpp"
#include "civitas/tasks/net_input.hpp"

#include <ATen/ops/cat.h>

namespace civitas::tasks {
namespace {

namespace gan = schedule::gan;

nn::Target target_of(schedule::PassId pass) {
    if (pass == gan::real) return nn::Target::real;
    return pass == gan::fake ? nn::Target::fake : nn::Target::generator;
}

parallel::PassLoss of(nn::Loss loss) { return {std::move(loss.figures), std::move(loss.gradient)}; }

}  // namespace

GanObjective::GanObjective(const planner::Problem& problem,
                           const planner::Hyperparameters& hyperparameters, at::Device device,
                           Asked asked)
    : augment_(augment_options(problem, hyperparameters)),
      latent_{Seed{problem.seed}, Purpose::latent, problem.nets.nz(), std::move(asked.condition)},
      cover_(asked.cover),
      cover_weight_(asked.weight),
      loss_{hyperparameters.loss, hyperparameters.label_smoothing},
      batch_(problem.batch),
      micro_batch_(problem.micro_batch),
      side_(problem.nets.pixels()),
      like_(at::TensorOptions().dtype(nn::compute_type(problem.precision)).device(device)) {}

at::Tensor GanObjective::draws(const SampleRange& visit) const {
    if (visit.pass == gan::generate)
        return latent(latent_, static_cast<std::uint64_t>(index(visit.step)), visit.first,
                      micro_batch_, at::kDouble)
            .flatten(1);
    at::Tensor drawn_B6 = draw_augmentations(augment_, visit, micro_batch_, side_);
    if (!latent_.condition) return drawn_B6;
    return at::cat({drawn_B6, conditions_of(latent_.condition, visit.first, micro_batch_)}, 1);
}

at::Tensor GanObjective::asked_of(const at::Tensor& drawn_BN) const {
    return drawn_BN.narrow(1, augment_draws, drawn_BN.size(1) - augment_draws);
}

at::Tensor GanObjective::input(schedule::PassId pass, const at::Tensor& given,
                               const at::Tensor& drawn_BN) const {
    const at::ScalarType type = c10::typeMetaToScalarType(like_.dtype());
    if (pass == gan::generate) return drawn_BN.unflatten(1, {-1, 1, 1}).to(type);
    return augment(augment_, drawn_BN, given, type);
}

at::Tensor GanObjective::remembered(schedule::PassId pass, const at::Tensor& given,
                                    const at::Tensor& drawn_BN) const {
    if (pass != gan::d_generate || cover_weight_ == 0) return {};
    return cover_errors(cover_, given, asked_of(drawn_BN));
}

at::Tensor GanObjective::output_gradient(schedule::PassId /*pass*/, const at::Tensor& gradient,
                                         const at::Tensor& drawn_BN,
                                         const at::Tensor& remembered) const {
    at::Tensor of_given = augment_backward(augment_, drawn_BN, gradient);
    if (!remembered.defined()) return of_given;
    const double share = cover_weight_ / static_cast<double>(batch_);
    return of_given.add(cover_gradient(cover_, remembered, share, of_given));
}

parallel::PassLoss GanObjective::loss(schedule::PassId pass, const at::Tensor& y,
                                      const at::Tensor& drawn_BN) const {
    if (!latent_.condition) return of(nn::loss(loss_, target_of(pass), y, batch_));
    const at::Tensor c_BK = asked_of(drawn_BN);
    nn::Loss loss = nn::loss(loss_, target_of(pass), nn::projected(y, c_BK), batch_);
    loss.gradient = nn::projected_backward(loss.gradient, c_BK).to(y.options());
    return of(std::move(loss));
}

std::vector<StepValue> GanObjective::values_of(const std::vector<double>& figures) const {
    const auto sums =
        sums_of(figures, GanObjective::figures());  // of the passes real, fake and generate
    return {{.key = "d_loss", .label = "D", .group = 0, .value = sums[0] + sums[2]},
            {.key = "g_loss", .label = "G", .group = 0, .value = sums[4]},
            {.key = "d_real", .label = "D(x)", .digits = 2, .group = 1, .value = sums[1]},
            {.key = "d_fake", .label = "D(G(z))", .digits = 2, .group = 1, .value = sums[3]}};
}

Probe GanObjective::probe(const SampleRange& visit) const {
    const SampleRange generating{visit.step, gan::generate, visit.first};
    return {input(gan::generate, {}, draws(generating).to(like_.device())),
            "both nets give finite values on generated tiles, so it came with the real ones"};
}

}  // namespace civitas::tasks
