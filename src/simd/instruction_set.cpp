#include "civitas/simd/instruction_set.hpp"

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cstdlib>

namespace civitas::simd {
namespace {

/// Whether oneDNN is kept from sets whose names have this in them: then kernels are, too.
bool is_kept_from(std::string_view sets) {
    const auto cap = instruction_cap();
    return cap && cap->set != "ALL" && cap->set != "DEFAULT" &&
           cap->set.find(sets) == std::string_view::npos;
}

/// Whether the processor has AMX, and Linux lets this process use it: tiles are so large that it
/// keeps them for those alone that ask (arch_prctl(2), ARCH_REQ_XCOMP_PERM).
bool has_usable_tiles() {
    constexpr unsigned features = 7, amx_bf16 = 1U << 22, amx_tile = 1U << 24;
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid_count(features, 0, &a, &b, &c, &d) == 0) return false;
    if ((d & amx_bf16) == 0 || (d & amx_tile) == 0) return false;
    if (is_kept_from("AMX")) return false;
    constexpr long request_permission = 0x1023, tile_data = 18;
    return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
}

}  // namespace

std::optional<InstructionCap> instruction_cap() {
    for (const char* name : {"ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA"})
        if (const char* const set = std::getenv(name)) return InstructionCap{name, set};
    return std::nullopt;
}

InstructionSet instruction_set() {
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        return InstructionSet::none;
    if (is_kept_from("AVX512") || !__builtin_cpu_supports("avx512f") ||
        !__builtin_cpu_supports("avx512bw") || !__builtin_cpu_supports("avx512dq") ||
        !__builtin_cpu_supports("avx512vl"))
        return InstructionSet::avx2;
    if (!__builtin_cpu_supports("avx512bf16")) return InstructionSet::avx512;
    static const bool tiles = has_usable_tiles();
    return tiles ? InstructionSet::amx_bf16 : InstructionSet::avx512_bf16;
}

bool has_amx() {
    static const bool has = instruction_set() == InstructionSet::amx_bf16;
    return has;
}

}  // namespace civitas::simd
