#pragma once
/// Which code computes the layers of a run.
#include <string_view>

namespace civitas::net {

/// `aten`: calls of ATen alone. `fast`: kernels of our own wherever there is one for a layer's
/// geometry and this processor, ATen elsewhere.
enum class KernelSet { aten, fast };
[[nodiscard]] KernelSet parse_kernel_set(std::string_view name);  ///< throws UsageError
[[nodiscard]] std::string_view to_string(KernelSet kernels);

}  // namespace civitas::net
