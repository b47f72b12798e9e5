#pragma once
/// What convolutions by tiles take of them, and of numbers in parts of bf16.
#include "simd.hpp"

#include "civitas/simd/parts.hpp"

namespace civitas::strided {

using simd::bf16_parts;
using simd::load_pairs;
using simd::load_row;
using simd::Pair;
using simd::pair_of;
using simd::PairWords;
using simd::store_parts;

}  // namespace civitas::strided
