#include "civitas/simd/instruction_set.hpp"

#include <cpuid.h>
#include <strings.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cstdlib>
#include <utility>

namespace civitas::simd {
namespace {

InstructionSet allowed_here() {
    const auto cap = instruction_cap();
    return cap ? most_allowed(cap->set) : InstructionSet::amx_bf16;
}

/// Whether the processor has AMX, and Linux lets this process use it: tiles are so large that it
/// keeps them for those alone that ask (arch_prctl(2), ARCH_REQ_XCOMP_PERM).
bool has_usable_tiles() {
    constexpr unsigned features = 7, amx_bf16 = 1U << 22, amx_tile = 1U << 24;
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid_count(features, 0, &a, &b, &c, &d) == 0) return false;
    if ((d & amx_bf16) == 0 || (d & amx_tile) == 0) return false;
    constexpr long request_permission = 0x1023, tile_data = 18;
    return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
}

}  // namespace

std::optional<InstructionCap> instruction_cap() {
    for (const char* name : {"ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA"})
        if (const char* const set = std::getenv(name); set != nullptr && *set != '\0')
            return InstructionCap{name, set};
    return std::nullopt;
}

InstructionSet most_allowed(std::string_view cap) {
    using enum InstructionSet;
    static constexpr std::pair<std::string_view, InstructionSet> sets[] = {
        {"sse41", none},
        {"avx", none},
        {"avx2", avx2},
        {"avx2_vnni", avx2},
        {"avx2_vnni_2", avx2},
        {"avx512_core", avx512},
        {"avx512_core_vnni", avx512},
        {"avx512_core_bf16", avx512_bf16},
        {"avx512_core_fp16", avx512_bf16},
        {"avx10_1_512", avx512_bf16},
        {"avx10_2_512", avx512_bf16}};
    for (const auto& [name, set] : sets)
        if (cap.size() == name.size() && strncasecmp(cap.data(), name.data(), name.size()) == 0)
            return set;
    return amx_bf16;
}

InstructionSet instruction_set() {
    using enum InstructionSet;
    const InstructionSet most = allowed_here();
    const auto has = [&](InstructionSet set, bool offered) { return most >= set && offered; };
    if (!has(avx2, __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))) return none;
    if (!has(avx512, __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")))
        return avx2;
    if (!has(avx512_bf16, __builtin_cpu_supports("avx512bf16"))) return avx512;
    static const bool tiles = most >= amx_bf16 && has_usable_tiles();
    return tiles ? amx_bf16 : avx512_bf16;
}

bool has_amx() {
    static const bool has = instruction_set() == InstructionSet::amx_bf16;
    return has;
}

}  // namespace civitas::simd
