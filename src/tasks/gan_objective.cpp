#include "civitas/tasks/gan_objective.hpp"

#include "civitas/nn/number_types.hpp"
#include "civitas/schedule/gan.hpp"
#include "civitas/tasks/net_input.hpp"

namespace civitas::tasks {
namespace {

namespace gan = schedule::gan;

nn::Target target_of(schedule::PassId pass) {
    if (pass == gan::real) return nn::Target::real;
    return pass == gan::fake ? nn::Target::fake : nn::Target::generator;
}

}  // namespace

GanObjective::GanObjective(const planner::Problem& problem,
                           const planner::Hyperparameters& hyperparameters, at::Device device)
    : augment_(augment_options(problem, hyperparameters)),
      latent_{Seed{problem.seed}, Purpose::latent, problem.nets.nz()},
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

at::Tensor GanObjective::output_gradient(const SampleRange& visit,
                                         const at::Tensor& gradient) const {
    return augment_backward({augment_.seed, 0, augment_.translate}, visit, gradient);
}

PassLoss GanObjective::loss(const SampleRange& visit, const at::Tensor& y) const {
    nn::Loss loss = nn::loss(loss_, target_of(visit.pass), y, batch_);
    return {{loss.value, loss.mean_probability}, std::move(loss.gradient)};
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
