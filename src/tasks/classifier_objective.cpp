#include "civitas/tasks/classifier_objective.hpp"

#include "civitas/base/error.hpp"
#include "civitas/nn/cross_entropy.hpp"
#include "civitas/nn/number_types.hpp"
#include "civitas/schedule/classifier.hpp"
#include "civitas/tasks/net_input.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>

namespace civitas::tasks {

ClassifierObjective::ClassifierObjective(const planner::Problem& problem,
                                         const planner::Hyperparameters& hyperparameters,
                                         ClassOfSample class_of_sample, at::Device device)
    : augment_(augment_options(problem, hyperparameters)),
      class_of_sample_(std::move(class_of_sample)),
      image_(problem.nets[schedule::classifier::net].input),
      smoothing_(1 - hyperparameters.label_smoothing),
      batch_(problem.batch),
      micro_batch_(problem.micro_batch),
      like_(at::TensorOptions().dtype(nn::compute_type(problem.precision)).device(device)) {}

at::Tensor ClassifierObjective::draws(const SampleRange& visit) const {
    const at::Tensor class_B1 = at::empty({micro_batch_, 1}, at::kDouble);
    for (std::int64_t i = 0; i < micro_batch_; ++i)
        class_B1.mutable_data_ptr<double>()[i] =
            static_cast<double>(class_of_sample_(Sample{index(visit.first) + i}));
    return at::cat({draw_augmentations(augment_, visit, micro_batch_, image_.height), class_B1}, 1);
}

at::Tensor ClassifierObjective::input(schedule::PassId /*pass*/, const at::Tensor& given,
                                      const at::Tensor& drawn_BN) const {
    return augment(augment_, drawn_BN, given, c10::typeMetaToScalarType(like_.dtype()));
}

at::Tensor ClassifierObjective::output_gradient(schedule::PassId /*pass*/,
                                                const at::Tensor& /*gradient*/,
                                                const at::Tensor& /*drawn_BN*/,
                                                const at::Tensor& /*remembered*/) const {
    ensure(false, "nobody wants the gradient of a classifier's images");
    return {};
}

parallel::PassLoss ClassifierObjective::loss(schedule::PassId /*pass*/, const at::Tensor& y,
                                             const at::Tensor& drawn_BN) const {
    const at::Tensor class_B = drawn_BN.select(1, augment_draws).to(at::kLong);
    nn::CrossEntropy loss = nn::cross_entropy(y, {class_B, smoothing_}, batch_);
    return {std::move(loss.figures), std::move(loss.gradient)};
}

std::vector<StepValue> ClassifierObjective::values_of(const std::vector<double>& figures) const {
    const auto sums = sums_of(figures, ClassifierObjective::figures());
    return {{.key = "loss", .label = "loss", .group = 0, .value = sums[0]},
            {.key = "top1", .label = "top-1", .group = 1, .value = sums[1]},
            {.key = "top5", .label = "top-5", .group = 1, .value = sums[2]}};
}

Probe ClassifierObjective::probe(const SampleRange& visit) const {
    at::Tensor x_BCHW =
        at::empty({micro_batch_, image_.channels, image_.height, image_.width},
                  at::TensorOptions(at::kDouble).memory_format(at::MemoryFormat::Contiguous));
    RandomStream(augment_.seed, Purpose::instance_noise,
                 {static_cast<std::uint64_t>(index(visit.step)), 0})
        .normals(0, {x_BCHW.mutable_data_ptr<double>(), static_cast<std::size_t>(x_BCHW.numel())});
    return {x_BCHW.to(like_).contiguous(at::MemoryFormat::ChannelsLast),
            "the net gives finite values on noise, so it came with the images"};
}

}  // namespace civitas::tasks
