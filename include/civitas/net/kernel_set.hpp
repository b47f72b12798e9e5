#pragma once
/// Whose code computes something.

namespace civitas::net {

/// `aten`: calls of ATen. `fast`: a kernel of our own.
enum class KernelSet { aten, fast };

}  // namespace civitas::net
