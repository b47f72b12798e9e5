#pragma once
/// What a step of a GAN tells, made of the figures of its micro-batches.
#include "civitas/schedule/gan.hpp"
#include "civitas/tasks/gan_step.hpp"

#include <array>
#include <vector>

namespace civitas::tasks {

/// Passes that end in a loss, in the order of their figures.
inline constexpr std::array loss_passes{schedule::gan::real, schedule::gan::fake,
                                        schedule::gan::d_generate};

/// Losses of D (real and fake together) and of G, then means of D(x) and of D(G(z)) in D's update:
/// of the batch, by sums in tree order. `figures`: for each micro-batch in ascending order, loss
/// and mean probability of each of these passes.
[[nodiscard]] std::vector<StepValue> values_of(const std::vector<double>& figures);

}  // namespace civitas::tasks
