#pragma once
/// Whose code computes something.

namespace civitas::net {

/// `aten`: calls of ATen. `fast`: a kernel of our own.
enum class KernelSet { aten, fast };

/// What nets are trained by unless something else is asked for.
constexpr KernelSet usual_kernels = KernelSet::fast;

}  // namespace civitas::net
