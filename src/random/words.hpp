#pragma once
/// The halves of a number of 64 bits, and numbers in (0, 1) made of two words.
#include "civitas/base/vectorised.hpp"

#include <cstdint>

namespace civitas {

CIVITAS_VECTOR_BODY constexpr std::uint32_t low(std::uint64_t x) {
    return static_cast<std::uint32_t>(x);
}
CIVITAS_VECTOR_BODY constexpr std::uint32_t high(std::uint64_t x) {
    return static_cast<std::uint32_t>(x >> 32);
}

/// A word as a number: processors without AVX-512 convert words with a sign alone.
CIVITAS_VECTOR_BODY double number_of(std::uint32_t word) {
    return static_cast<double>(static_cast<std::int32_t>(word ^ 0x80000000U)) + 0x1p31;
}

/// The middle of one of the 2^53 parts of (0, 1): of all bits of a, and the upper 21 of b.
CIVITAS_VECTOR_BODY double open_unit(std::uint32_t a, std::uint32_t b) {
    return (number_of(a) * 0x1p21 + number_of(b >> 11) + 0.5) * 0x1p-53;
}

}  // namespace civitas
