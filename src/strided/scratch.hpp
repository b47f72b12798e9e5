#pragma once
/// Memory for words while a pass runs, which libtorch's allocator keeps for the next one.
#include "simd.hpp"

#include <ATen/ops/empty.h>

namespace civitas::strided {

/// Memory for so many words, not initialised.
inline at::Tensor scratch(std::int64_t words) { return at::empty({words}, at::kFloat); }

inline Word* words_of(const at::Tensor& memory) {
    return static_cast<Word*>(memory.mutable_data_ptr());
}

}  // namespace civitas::strided
