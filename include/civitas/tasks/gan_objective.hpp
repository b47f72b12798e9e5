#pragma once
/// Plans like the tiles: what D sees, its losses and G's, and what is told of them.
#include "civitas/nn/loss.hpp"
#include "civitas/planner/options.hpp"
#include "civitas/tasks/augment.hpp"
#include "civitas/tasks/objective.hpp"

#include <c10/core/Device.h>

namespace civitas::tasks {

/// What plans are asked to be like.
struct Asked {
    ConditionOfSample condition = {};   ///< of a sample's tile; none where nothing is asked
    conditions::CoverScale cover = {};  ///< that its numbers are standardised by,
    double weight = 0;                  ///< where cover is asked for: see cover_error.hpp
};

/// Asked for what its tile is like, a sample is a pair with that in G's input and D's logit,
/// whether D sees the tile or what G draws for it (Mirza & Osindero, arXiv 1411.1784).
class GanObjective final : public Objective {
public:
    GanObjective(const planner::Problem& problem, const planner::Hyperparameters& hyperparameters,
                 at::Device device, Asked asked = {});

    [[nodiscard]] at::Tensor input(const SampleRange& visit,
                                   const at::Tensor& given) const override;
    [[nodiscard]] std::vector<double> remembered(const SampleRange& visit,
                                                 const at::Tensor& given) const override;
    [[nodiscard]] at::Tensor output_gradient(const SampleRange& visit, const at::Tensor& gradient,
                                             const std::vector<double>& remembered) const override;
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
    conditions::CoverScale cover_;
    double cover_weight_;
    nn::LossOptions loss_;
    std::int64_t batch_;
    std::int64_t micro_batch_;
    at::TensorOptions like_;  ///< type and device of what nets see
};

}  // namespace civitas::tasks
