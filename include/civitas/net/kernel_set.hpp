#pragma once
/// Which code computes the layers of a run.

namespace civitas::net {

/// `aten`: calls of ATen alone. `fast`: kernels of our own wherever there is one for a layer's
/// geometry and this processor, ATen elsewhere.
enum class KernelSet { aten, fast };

}  // namespace civitas::net
