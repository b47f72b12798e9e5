#include "civitas/tasks/gan_objective.hpp"

#include "civitas/nn/number_types.hpp"
#include "civitas/nn/projection.hpp"
#include "civitas/schedule/gan.hpp"
#include "civitas/tasks/cover_error.hpp"
#include "civitas/tasks/net_input.hpp"

namespace civitas::tasks {
namespace {

namespace gan = schedule::gan;

nn::Target target_of(schedule::PassId pass) {
    if (pass == gan::real) return nn::Target::real;
    return pass == gan::fake ? nn::Target::fake : nn::Target::generator;
}

PassLoss of(nn::Loss loss) {
    return {{loss.value, loss.mean_probability}, std::move(loss.gradient)};
}

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
      like_(at::TensorOptions().dtype(nn::compute_type(problem.precision)).device(device)) {}

at::Tensor GanObjective::latent_of(const SampleRange& visit) const {
    return latent(latent_, static_cast<std::uint64_t>(index(visit.step)), visit.first, micro_batch_,
                  like_);
}

at::Tensor GanObjective::input(const SampleRange& visit, const at::Tensor& given) const {
    if (visit.pass == gan::generate) return latent_of(visit);
    return augment(augment_, visit, given, c10::typeMetaToScalarType(like_.dtype()));
}

std::vector<double> GanObjective::remembered(const SampleRange& visit,
                                             const at::Tensor& given) const {
    if (visit.pass != gan::d_generate || cover_weight_ == 0) return {};
    return cover_errors(cover_, given, conditions_of(latent_.condition, visit.first, micro_batch_));
}

at::Tensor GanObjective::output_gradient(const SampleRange& visit, const at::Tensor& gradient,
                                         const std::vector<double>& remembered) const {
    const AugmentOptions shifted{augment_.seed, 0, augment_.translate};
    at::Tensor of_given = augment_backward(shifted, visit, gradient);
    if (remembered.empty()) return of_given;
    const double share = cover_weight_ / static_cast<double>(batch_);
    return of_given.add(cover_gradient(cover_, remembered, share, of_given));
}

PassLoss GanObjective::loss(const SampleRange& visit, const at::Tensor& y) const {
    if (!latent_.condition) return of(nn::loss(loss_, target_of(visit.pass), y, batch_));
    const at::Tensor c_BK = conditions_of(latent_.condition, visit.first, micro_batch_);
    nn::Loss loss = nn::loss(loss_, target_of(visit.pass), nn::projected(y, c_BK), batch_);
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
    return {latent_of(visit),
            "both nets give finite values on generated tiles, so it came with the real ones"};
}

}  // namespace civitas::tasks
