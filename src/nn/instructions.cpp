#include "civitas/nn/instructions.hpp"

#include "civitas/simd/number_type.hpp"

namespace civitas::nn {

net::Instructions instructions_here() {
    return {.fp32_vectors = simd::multiplies_vectors_of(at::kFloat),
            .bf16_vectors = simd::multiplies_vectors_of(at::kBFloat16)};
}

}  // namespace civitas::nn
