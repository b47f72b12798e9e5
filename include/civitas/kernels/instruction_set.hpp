#pragma once
/// Which vector instructions kernels may use.

namespace civitas::kernels {

/// Vector instructions of a processor; each set includes those before it. `avx2` means AVX2 with
/// FMA, `avx512` means F, BW, DQ and VL, and `avx512_bf16` adds products of bf16 pairs.
enum class InstructionSet { none, avx2, avx512, avx512_bf16 };

/// The largest set that this processor and its operating system offer. Everything that kernels
/// compute follows from it, so ranks that differ in it would not give the same bits.
[[nodiscard]] InstructionSet instruction_set();

/// Whether the processor multiplies matrices of bf16 by instructions (AMX), which are many times as
/// fast as those on vectors.
[[nodiscard]] bool has_matrix_units();

}  // namespace civitas::kernels
