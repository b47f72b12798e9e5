#pragma once
/// The class of an image: what the classifier sees, its loss, and what is told of it.
#include "civitas/planner/options.hpp"
#include "civitas/tasks/augment.hpp"
#include "civitas/tasks/objective.hpp"

#include <c10/core/Device.h>
#include <functional>

namespace civitas::tasks {

/// The class of a sample of a run, from 0.
using ClassOfSample = std::function<std::int64_t(Sample)>;

class ClassifierObjective final : public Objective {
public:
    ClassifierObjective(const planner::Problem& problem,
                        const planner::Hyperparameters& hyperparameters,
                        ClassOfSample class_of_sample, at::Device device);

    /// See draw_augmentations; behind that the class of a sample.
    [[nodiscard]] at::Tensor draws(const SampleRange& visit) const override;
    /// Images are shifted as those that D of a GAN sees, without noise.
    [[nodiscard]] at::Tensor input(schedule::PassId pass, const at::Tensor& given,
                                   const at::Tensor& drawn_BN) const override;
    /// Nobody wants the gradient of images.
    [[nodiscard]] at::Tensor output_gradient(schedule::PassId pass, const at::Tensor& gradient,
                                             const at::Tensor& drawn_BN,
                                             const at::Tensor& remembered) const override;
    [[nodiscard]] parallel::PassLoss loss(schedule::PassId pass, const at::Tensor& y,
                                          const at::Tensor& drawn_BN) const override;
    [[nodiscard]] std::int64_t figures() const override {
        return figures_of_micro_batch(TaskKind::classify);
    }
    /// The loss, and of the batch the shares that it tells rightly first and among five.
    [[nodiscard]] std::vector<StepValue> values_of(
        const std::vector<double>& figures) const override;
    [[nodiscard]] Probe probe(const SampleRange& visit) const override;

private:
    AugmentOptions augment_;
    ClassOfSample class_of_sample_;
    net::ImageShape image_;
    double smoothing_;
    std::int64_t batch_;
    std::int64_t micro_batch_;
    at::TensorOptions like_;  ///< type and device of what the net sees
};

}  // namespace civitas::tasks
