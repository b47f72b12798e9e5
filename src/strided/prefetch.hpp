#pragma once
/// Memory that is used soon is asked for before.
#include <cstdint>

namespace civitas::strided {

enum class Access { read, write };

/// Asks for so many numbers, a line of a cache at a time. Always inline, as whatever does nothing
/// else must be: GCC drops calls of functions without effects.
template <Access access = Access::read, class T>
[[gnu::always_inline]] inline void prefetch_lines(const T* first, std::int64_t count) {
    constexpr std::int64_t line = 64 / sizeof(T);
    for (std::int64_t i = 0; i < count; i += line)
        __builtin_prefetch(first + i, access == Access::write ? 1 : 0);
}

}  // namespace civitas::strided
