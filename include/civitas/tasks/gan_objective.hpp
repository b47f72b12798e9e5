#pragma once
/// Plans like the tiles: what D sees, its losses and G's, and what is told of them.
#include "civitas/nn/loss.hpp"
#include "civitas/planner/options.hpp"
#include "civitas/tasks/augment.hpp"
#include "civitas/tasks/objective.hpp"

#include <c10/core/Device.h>

namespace civitas::tasks {

class GanObjective final : public Objective {
public:
    GanObjective(const planner::Problem& problem, const planner::Hyperparameters& hyperparameters,
                 at::Device device);

    [[nodiscard]] at::Tensor input(const SampleRange& visit,
                                   const at::Tensor& given) const override;
    [[nodiscard]] at::Tensor output_gradient(const SampleRange& visit,
                                             const at::Tensor& gradient) const override;
    [[nodiscard]] PassLoss loss(const SampleRange& visit, const at::Tensor& y) const override;
    [[nodiscard]] std::int64_t figures() const override {
        return figures_of_micro_batch(TaskKind::gan);
    }
    /// Losses of D (real and fake together) and of G, then means of D(x) and of D(G(z)) in D's
    /// update.
    [[nodiscard]] std::vector<StepValue> values_of(
        const std::vector<double>& figures) const override;
    [[nodiscard]] Probe probe(const SampleRange& visit) const override;

private:
    [[nodiscard]] at::Tensor latent_of(const SampleRange& visit) const;

    AugmentOptions augment_;
    LatentOptions latent_;
    nn::LossOptions loss_;
    std::int64_t batch_;
    std::int64_t micro_batch_;
    at::TensorOptions like_;  ///< type and device of what nets see
};

}  // namespace civitas::tasks
