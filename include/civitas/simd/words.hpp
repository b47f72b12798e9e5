#pragma once
/// Words of matrices, and how many of them make a vector.
#include <c10/util/BFloat16.h>
#include <cstdint>

namespace civitas::simd {

constexpr std::int64_t lanes = 16;

/// What products multiply: one number in fp32, or two neighbours in bf16, the first in the low
/// half. (Tiles multiply fp32 as pairs of bf16, too: civitas/simd/parts.hpp.)
using Word = std::uint32_t;
template <class T>
constexpr std::int64_t numbers_per_word = sizeof(Word) / sizeof(T);

constexpr std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
constexpr std::int64_t round_up(std::int64_t a, std::int64_t b) { return divide_up(a, b) * b; }

/// Lanes of a vector: bit i for lane i.
using Mask = std::uint16_t;
constexpr Mask every_lane = 0xffff;

/// The lanes that there are of `count` numbers from `begin` on: all, some or none.
constexpr Mask lanes_from(std::int64_t begin, std::int64_t count) {
    const std::int64_t left = count - begin;
    if (left <= 0) return 0;
    return left >= lanes ? every_lane : static_cast<Mask>((1 << left) - 1);
}

}  // namespace civitas::simd
