#pragma once
/// Where numbers went bad.
#include "model.hpp"

#include <string>

namespace civitas::train {

/// Runs both nets once more on a latent and names the first layer whose weights or output are not
/// finite, as a sentence part.
[[nodiscard]] std::string first_non_finite_layer(const Net& generator, const Net& discriminator,
                                                 const at::Tensor& z_BC11);

/// Throws Error naming net, parameter and step when a gradient holds NaN or Inf. The gradient is
/// the reduced one, so all ranks throw together.
void require_finite(const Net& net, const at::Tensor& gradient, StepIndex step);

}  // namespace civitas::train
