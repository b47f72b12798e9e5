#include "civitas/nn/instructions.hpp"

#include "civitas/simd/instruction_set.hpp"

namespace civitas::nn {

net::Instructions instructions_here() {
    using simd::InstructionSet;
    const InstructionSet set = simd::instruction_set();
    return {.fp32_vectors = set >= InstructionSet::avx512,
            .bf16_vectors = set >= InstructionSet::avx512_bf16};
}

}  // namespace civitas::nn
