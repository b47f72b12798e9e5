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
    /// Two doubles, on the device of the logits: sums over the micro-batch of the loss and of
    /// sigmoid(logit), which is D(x) or D(G(z)), divided by `total`.
    at::Tensor figures;
    at::Tensor gradient;  ///< with respect to the logits, in their shape and type
};

/// Loss of one micro-batch of D's logits. logits: (B,1,1,1), in any floating type and on any
/// device. total: samples of the whole batch, over all micro-batches and all ranks, so that
/// gradients of micro-batches add up to that of the mean.
[[nodiscard]] Loss loss(const LossOptions& options, Target target, const at::Tensor& logits,
                        std::int64_t total);
/// The same up to rounding, by calls of ATen that leave everything on a device.
[[nodiscard]] Loss loss_by_aten(const LossOptions& options, Target target, const at::Tensor& logits,
                                std::int64_t total);

}  // namespace civitas::nn
