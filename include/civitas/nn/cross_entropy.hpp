#pragma once
/// The loss of a classifier on its logits. Values and gradients are those of a mean over `total`
/// samples, so that sums over micro-batches are means over the batch.
#include <ATen/core/Tensor.h>
#include <cstdint>
#include <span>

namespace civitas::nn {

/// What a classifier is asked to say of a micro-batch.
struct Classes {
    std::span<const std::int64_t> of_sample;  ///< the class of each, from 0
    /// What all classes share of a sample's probability: the others are asked for smoothing / K
    /// each, its own for that and the rest, where there are K (Szegedy et al., arXiv 1512.00567).
    double smoothing = 0;
};

struct CrossEntropy {
    double value = 0;     ///< sum over the micro-batch divided by `total`, in double
    double first = 0;     ///< samples whose class has the largest logit, divided by `total`
    double top_five = 0;  ///< those whose class is among the five largest, likewise
    at::Tensor gradient;  ///< with respect to the logits, in their shape and type
};

/// Of one micro-batch: with p = softmax(logits) and wanted probabilities q, -sum q log p, whose
/// gradient is p - q. logits: (B,K,1,1), in any floating type and on any device. Of equal logits
/// the first counts as larger. Throws Error for a class that there is not.
[[nodiscard]] CrossEntropy cross_entropy(const at::Tensor& logits, const Classes& classes,
                                         std::int64_t total);

}  // namespace civitas::nn
