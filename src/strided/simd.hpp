#pragma once
/// What convolutions take of vectors, tiles and products of words.
#include "civitas/simd/number_type.hpp"
#include "civitas/simd/pack.hpp"
#include "civitas/simd/product.hpp"
#include "civitas/simd/vectors.hpp"

namespace civitas::strided {

using simd::multiplies_vectors_of;
using simd::with_type;

using simd::divide_up;
using simd::lanes;
using simd::lanes_from;
using simd::load;
using simd::load_words;
using simd::numbers_per_word;
using simd::pack_column;
using simd::round_up;
using simd::row_stride;
using simd::store;
using simd::store_row;
using simd::transpose;
using simd::Word;
using simd::words_across;
using simd::words_along;
using simd::words_at;

using simd::multiplies_tiles;
using simd::multiply;
using simd::panel;
using simd::rows_of_tiles;
using simd::Sum;

}  // namespace civitas::strided
