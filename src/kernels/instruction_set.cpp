#include "civitas/kernels/instruction_set.hpp"

#include <cpuid.h>

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

bool has_matrix_units() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    constexpr unsigned features = 7, amx_bf16 = 1U << 22;
    return __get_cpuid_count(features, 0, &a, &b, &c, &d) != 0 && (d & amx_bf16) != 0;
}

}  // namespace civitas::kernels
