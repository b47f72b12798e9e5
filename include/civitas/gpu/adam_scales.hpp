#pragma once
/// Included by what nvcc compiles: without ATen.

namespace civitas::gpu {

/// What the numbers of an element are multiplied by in an update by Adam.
struct AdamScales {
    float decay;  ///< of weights
    float rest1;  ///< 1 - beta1, rounded from double as the other differences from 1
    float beta2, rest2;
    float epsilon;
    float step;           ///< learning rate / (1 - beta1^t)
    float inverse_root2;  ///< 1 / sqrt(1 - beta2^t)
};

}  // namespace civitas::gpu
