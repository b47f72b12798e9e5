#pragma once
/// What computes the passes of a layer.

namespace civitas::net {

/// Code that computes passes of layers: ATen's, or that of a file of src/kernels or src/strided
/// (`product`: one of ATen's products of matrices in place of its convolution; `inside`: what each
/// layer of a residual block has).
enum class Kernel { aten, strided, thin, picture, product, batch_norm, tanh, inside };

/// One kernel for each of F, B and W.
struct LayerKernels {
    Kernel forward = Kernel::aten;
    Kernel backward_input = Kernel::aten;
    Kernel backward_weights = Kernel::aten;
    friend bool operator==(const LayerKernels&, const LayerKernels&) = default;
};

/// Some of F, B and W.
struct Passes {
    bool forward = false;
    bool backward_input = false;
    bool backward_weights = false;
    friend bool operator==(const Passes&, const Passes&) = default;
};
inline constexpr Passes no_pass{};
inline constexpr Passes all_passes{true, true, true};

}  // namespace civitas::net
