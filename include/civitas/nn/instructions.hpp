#pragma once
/// What kernels may use of this processor.
#include "civitas/net/description.hpp"
#include "civitas/net/kernel_choice.hpp"

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

namespace civitas::nn {

[[nodiscard]] net::Instructions instructions_here();

/// A net, or a part of it, as it evaluates with weights of this type: on a CPU by kernels of our
/// own for layers that there are any for, else by ATen.
[[nodiscard]] net::NetDescription for_evaluation(net::NetDescription net, at::ScalarType weights,
                                                 at::Device device);

}  // namespace civitas::nn
