#pragma once
/// Which vector instructions kernels may use.

#include <optional>
#include <string_view>

namespace civitas::simd {

/// Instructions of a processor; each set includes those before it. `avx2` means AVX2 with FMA,
/// `avx512` means F, BW, DQ and VL, `avx512_bf16` adds products of bf16 pairs, and `amx_bf16` those
/// of tiles of bf16, many times as fast.
enum class InstructionSet { none, avx2, avx512, avx512_bf16, amx_bf16 };

/// A variable of the environment, not empty, that names the largest set that oneDNN may use.
struct InstructionCap {
    std::string_view variable, set;
};
[[nodiscard]] std::optional<InstructionCap> instruction_cap();

/// The largest set that a cap leaves, by the names and rules of oneDNN: upper and lower case are
/// the same, and a name that it does not know is no cap (oneDNN, "CPU Dispatcher Control").
[[nodiscard]] InstructionSet most_allowed(std::string_view cap);

/// The largest set that this processor and its operating system offer, and oneDNN may use. What
/// convolutions compute follows from it, so ranks that differ in it would not give the same bits.
/// To be asked first before there are threads: Linux may refuse tiles to a process whose threads
/// have small stacks for signals.
[[nodiscard]] InstructionSet instruction_set();

/// Whether the set has products of tiles.
[[nodiscard]] bool has_amx();

}  // namespace civitas::simd
