#include "civitas/nn/instructions.hpp"

#include "civitas/net/own_kernel.hpp"
#include "civitas/simd/number_type.hpp"

#include <utility>

namespace civitas::nn {

net::Instructions instructions_here() {
    return {.vectors = simd::multiplies_vectors_of(at::kFloat)};
}

net::NetDescription for_evaluation(net::NetDescription net, at::ScalarType weights,
                                   at::Device device) {
    if (!device.is_cpu()) return net::by_aten(std::move(net));
    const auto precision = weights == at::kDouble ? net::Precision::fp64 : net::Precision::fp32;
    return net::with_kernels(
        std::move(net), {.choice = net::KernelChoice(net::KernelSet::fast),
                         .host = {.precision = precision, .instructions = instructions_here()}});
}

}  // namespace civitas::nn
