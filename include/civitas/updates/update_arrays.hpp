#pragma once
/// What an update of weights reads and writes, whatever the optimizer.
#include <ATen/core/Tensor.h>

namespace civitas::updates {

/// The same elements of each array: flat, contiguous, of one length, type and device.
struct UpdateArrays {
    at::Tensor weights;
    at::Tensor gradient;
    at::Tensor first, second;  ///< moments; those that the optimizer has none of are undefined
    at::Tensor mean;           ///< of the weights; may be undefined
    at::Tensor compute_copy;   ///< bf16; may be undefined
    /// A double on a GPU, which Adam reads there: unless this is finite it changes nothing, or by
    /// calls of ATen the mean alone. May be undefined: then it always does.
    at::Tensor condition = {};
};

}  // namespace civitas::updates
