#pragma once
/// What kernels take of vectors, and of products of words.
#include "civitas/simd/number_type.hpp"
#include "civitas/simd/pack.hpp"
#include "civitas/simd/product.hpp"
#include "civitas/simd/vectors.hpp"

namespace civitas::kernels {

using simd::multiplies_vectors_of;
using simd::with_type;

using simd::copy;
using simd::divide_up;
using simd::every_lane;
using simd::Floats;
using simd::lanes;
using simd::lanes_behind;
using simd::lanes_from;
using simd::load;
using simd::Mask;
using simd::numbers_per_word;
using simd::paired;
using simd::plus;
using simd::round_up;
using simd::row_stride;
using simd::store;
using simd::store_words;
using simd::Word;
using simd::Words;

using simd::Numbers;
using simd::pack_column;
using simd::pack_rows;
using simd::words_at;

using simd::multiply;
using simd::panel;
using simd::rows_of_tiles;
using simd::Sum;

}  // namespace civitas::kernels
