#pragma once
/// The number types that kernels compute with, fp32 and bf16.
#include "civitas/base/error.hpp"
#include "civitas/simd/instruction_set.hpp"

#include <c10/core/ScalarType.h>
#include <type_traits>

namespace civitas::simd {

/// Calls of(float()) or of(BFloat16()).
template <class Of>
auto with_type(at::ScalarType type, Of of) {
    ensure(type == at::kFloat || type == at::kBFloat16, "kernels are for fp32 and bf16");
    return type == at::kFloat ? of(float()) : of(c10::BFloat16());
}

/// Sets of vector instructions that kernels are compiled for, each for itself.
struct Avx2 {};
struct Avx512 {};

/// Whether this processor has what a set takes for products of T: those of bf16 by AVX-512 need
/// its products of pairs.
template <class T, class Set>
bool has_set() {
    constexpr auto of_avx512 =
        std::is_same_v<T, float> ? InstructionSet::avx512 : InstructionSet::avx512_bf16;
    constexpr auto needed = std::is_same_v<Set, Avx2> ? InstructionSet::avx2 : of_avx512;
    static const bool has = instruction_set() >= needed;  // asked for every layer
    return has;
}

/// Calls of(Avx512()) or of(Avx2()), the larger set that this processor has for T, if it has any.
template <class T, class Of>
auto with_set(Of of) {
    return has_set<T, Avx512>() ? of(Avx512()) : of(Avx2());
}

/// Whether this processor has vector instructions for products of the type.
inline bool multiplies_vectors_of(at::ScalarType type) {
    return (type == at::kFloat || type == at::kBFloat16) && has_set<float, Avx2>();
}

}  // namespace civitas::simd
