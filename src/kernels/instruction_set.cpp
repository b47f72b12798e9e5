#include "civitas/kernels/instruction_set.hpp"

namespace civitas::kernels {

InstructionSet instruction_set() {
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        return InstructionSet::none;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512vl"))
        return InstructionSet::avx2;
    return __builtin_cpu_supports("avx512bf16") ? InstructionSet::avx512_bf16
                                                : InstructionSet::avx512;
}

}  // namespace civitas::kernels
