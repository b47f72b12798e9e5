#pragma once
/// What convolutions take of vectors and products of words.
#include "civitas/simd/number_type.hpp"
#include "civitas/simd/pack.hpp"
#include "civitas/simd/product.hpp"
#include "civitas/simd/vectors.hpp"

namespace civitas::strided {

using simd::multiplies_vectors_of;
using simd::with_type;

using simd::divide_up;
using simd::Floats;
using simd::lanes;
using simd::lanes_from;
using simd::load;
using simd::load_words;
using simd::Mask;
using simd::minus;
using simd::number_of;
using simd::numbers_per_word;
using simd::plus;
using simd::round_up;
using simd::row_stride;
using simd::scaled;
using simd::store;
using simd::store_row;
using simd::store_transposed;
using simd::store_words;
using simd::stream;
using simd::transpose;
using simd::Word;
using simd::Words;
using simd::words_of_numbers;

using simd::multiply;
using simd::panel;
using simd::rows_of_tiles;
using simd::Sum;

}  // namespace civitas::strided
