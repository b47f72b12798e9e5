#pragma once
/// Vectors of sixteen numbers in fp32, read from and written to fp32 or bf16. Files that compute
/// with them are compiled twice, for processors with AVX-512 and, where CIVITAS_AVX2 is defined,
/// for those with AVX2 and FMA alone. What they define is in a namespace CIVITAS_SET, so that the
/// linker does not take the one for the other.
///
/// Numbers less than 2^-126 count as 0 in instructions of bf16, and in others where the process
/// says so (civitas/environment/machine.hpp).
#ifdef CIVITAS_AVX2
#include "civitas/simd/vectors_avx2.hpp"
#else
#include "civitas/simd/vectors_avx512.hpp"
#endif
