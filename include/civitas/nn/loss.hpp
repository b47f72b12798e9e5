#pragma once
/// Losses of the GAN on D's logits. Values and gradients are those of a mean over `total` samples,
/// so that sums over micro-batches are means over the batch.
#include "civitas/net/loss_kind.hpp"

#include <ATen/core/Tensor.h>
#include <cstdint>

namespace civitas::nn {

/// What D is asked to say of a micro-batch.
enum class Target { real, fake, generator };  ///< `generator`: G's update

struct LossOptions {
    net::LossKind kind = net::LossKind::bce;
    double smoothing = 0.9;  ///< one-sided: the target of `real` in bce and lsgan
};

struct Loss {
    double value = 0;             ///< sum over the micro-batch divided by `total`, in double
    double mean_probability = 0;  ///< sum of sigmoid(logit) divided by `total`: D(x), D(G(z))
    at::Tensor gradient;          ///< with respect to the logits, in their shape and type
};

/// Loss of one micro-batch of D's logits. logits: (B,1,1,1), in any floating type and on any
/// device. total: samples of the whole batch, over all micro-batches and all ranks, so that
/// gradients of micro-batches add up to that of the mean.
[[nodiscard]] Loss loss(const LossOptions& options, Target target, const at::Tensor& logits,
                        std::int64_t total);

}  // namespace civitas::nn
