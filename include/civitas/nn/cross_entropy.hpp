#pragma once
/// The loss of a classifier on its logits. Values and gradients are those of a mean over `total`
/// samples, so that sums over micro-batches are means over the batch.
#include <ATen/core/Tensor.h>
#include <cstdint>

namespace civitas::nn {

/// What a classifier is asked to say of a micro-batch.
struct Classes {
    at::Tensor of_sample_B;  ///< the class of each, from 0, on the device of the logits
    /// What all classes share of a sample's probability: the others are asked for smoothing / K
    /// each, its own for that and the rest, where there are K (Szegedy et al., arXiv 1512.00567).
    double smoothing = 0;
};

struct CrossEntropy {
    /// Three doubles, on the device of the logits: sums over the micro-batch, divided by `total`,
    /// of the loss, of samples whose class has the largest logit, and of those whose class is among
    /// the five largest.
    at::Tensor figures;
    at::Tensor gradient;  ///< with respect to the logits, in their shape and type
};

/// Of one micro-batch: with p = softmax(logits) and wanted probabilities q, -sum q log p, whose
/// gradient is p - q. logits: (B,K,1,1), in any floating type and on any device. Of equal logits
/// the first counts as larger. Throws Error for a class that there is not, on a CPU.
[[nodiscard]] CrossEntropy cross_entropy(const at::Tensor& logits, const Classes& classes,
                                         std::int64_t total);
/// The same up to rounding, by calls of ATen that leave everything on a device.
[[nodiscard]] CrossEntropy cross_entropy_by_aten(const at::Tensor& logits, const Classes& classes,
                                                 std::int64_t total);

}  // namespace civitas::nn
