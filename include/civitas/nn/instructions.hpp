#pragma once
/// What kernels may use of this processor.
#include "civitas/net/kernel_choice.hpp"

namespace civitas::nn {

[[nodiscard]] net::Instructions instructions_here();

}  // namespace civitas::nn
