#pragma once
/// Vectors of sixteen numbers in fp32, read from and written to fp32 or bf16. Files that compute
/// with them are compiled twice, for processors with AVX-512 and, where CIVITAS_AVX2 is defined,
/// for those with AVX2 and FMA alone. What they define is in a namespace CIVITAS_SET, so that the
/// linker does not take the one for the other.
#ifdef CIVITAS_AVX2
#include "civitas/simd/vectors_avx2.hpp"
#else
#include "civitas/simd/vectors_avx512.hpp"
#endif
