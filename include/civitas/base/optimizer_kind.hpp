#pragma once
/// Which optimizer makes of a gradient the next weights.
#include <span>
#include <string_view>

namespace civitas {

/// Adam (Kingma & Ba 2015), or stochastic gradient descent with momentum (Sutskever et al. 2013).
enum class OptimizerKind { adam, sgd };

[[nodiscard]] OptimizerKind parse_optimizer(std::string_view name);  ///< throws UsageError
[[nodiscard]] std::string_view to_string(OptimizerKind kind);

/// The arrays like the weights that an optimizer keeps from step to step, by their names in
/// torch.optim: without momentum SGD keeps none.
[[nodiscard]] std::span<const std::string_view> moments_of(OptimizerKind kind, double momentum);

}  // namespace civitas
