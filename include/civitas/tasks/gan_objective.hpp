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

    /// z and what is asked of those that G draws; see draw_augmentations of those that D sees, and
    /// behind that what was asked.
    [[nodiscard]] at::Tensor draws(const SampleRange& visit) const override;
    [[nodiscard]] at::Tensor input(schedule::PassId pass, const at::Tensor& given,
                                   const at::Tensor& drawn_BN) const override;
    [[nodiscard]] at::Tensor remembered(schedule::PassId pass, const at::Tensor& given,
                                        const at::Tensor& drawn_BN) const override;
    [[nodiscard]] at::Tensor output_gradient(schedule::PassId pass, const at::Tensor& gradient,
                                             const at::Tensor& drawn_BN,
                                             const at::Tensor& remembered) const override;
    [[nodiscard]] parallel::PassLoss loss(schedule::PassId pass, const at::Tensor& y,
                                          const at::Tensor& drawn_BN) const override;
    [[nodiscard]] std::int64_t figures() const override {
        return figures_of_micro_batch(TaskKind::gan);
    }
    /// Losses of D (real and fake together) and of G, then means of D(x) and of D(G(z)) in D's
    /// update.
    [[nodiscard]] std::vector<StepValue> values_of(
        const std::vector<double>& figures) const override;
    [[nodiscard]] Probe probe(const SampleRange& visit) const override;

private:
    /// What D's samples were asked to be like: the last columns of what is drawn for them.
    [[nodiscard]] at::Tensor asked_of(const at::Tensor& drawn_BN) const;

    AugmentOptions augment_;
    LatentOptions latent_;
    conditions::CoverScale cover_;
    double cover_weight_;
    nn::LossOptions loss_;
    std::int64_t batch_;
    std::int64_t micro_batch_;
    std::int64_t side_;       ///< of the images, pixels
    at::TensorOptions like_;  ///< type and device of what nets see
};

}  // namespace civitas::tasks
