#pragma once
/// The number types that kernels compute with, fp32 and bf16.
#include "civitas/base/error.hpp"
#include "civitas/simd/instruction_set.hpp"

#include <c10/core/ScalarType.h>

namespace civitas::simd {

/// Calls of(float()) or of(BFloat16()).
template <class Of>
auto with_type(at::ScalarType type, Of of) {
    ensure(type == at::kFloat || type == at::kBFloat16, "kernels are for fp32 and bf16");
    return type == at::kFloat ? of(float()) : of(c10::BFloat16());
}

/// Whether this processor has vector instructions for products of the type.
inline bool multiplies_vectors_of(at::ScalarType type) {
    if (type == at::kFloat) return instruction_set() >= InstructionSet::avx512;
    return type == at::kBFloat16 && instruction_set() >= InstructionSet::avx512_bf16;
}

}  // namespace civitas::simd
