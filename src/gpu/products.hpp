#pragma once
/// Products of batches of matrices of fp32 numbers on a GPU's tensor cores.
///
/// A tensor core multiplies numbers of TF32, whose mantissa has 10 bits, and adds up in fp32. Each
/// number a is therefore split into high, the nearest of TF32, and low, the rest, and
///     a b = low(a) high(b) + high(a) low(b) + high(a) high(b)
/// but for less than 2^-20 of a b (3xTF32: H. Ootomo, R. Yokota, Recovering single precision
/// accuracy from Tensor Cores, arXiv 2203.03341). Numbers within 2^-12 of the largest of fp32 count
/// as infinite. Tensor cores cut off what a sum in fp32 cannot hold, so sums of sixteen products
/// each leave them, and are added up with rounding to nearest, in ascending order. The bits of a
/// result depend on its row, its column and the parts alone.
#include <cstdint>

struct CUstream_st;

namespace civitas::gpu {

/// One factor of a batch of products. The inner dimension is that which products sum over.
struct BatchOperand {
    const float* first = nullptr;
    std::int64_t matrix = 0;  ///< numbers from a matrix to the next
    std::int64_t line = 0;    ///< and from a row (or column) of neighbours in memory to the next
    bool inner_is_contiguous = true;
};

struct ProductSizes {
    std::int64_t matrices = 0;
    int rows = 0, columns = 0, inner = 0;
    int parts = 1;  ///< of the inner dimension, which are summed each for itself
};

/// Matrices begin, and rows or columns of neighbours go on, at multiples of so many numbers.
inline constexpr int numbers_at_once = 4;

/// Into how many parts the inner dimension is cut, so that a GPU's multiprocessors all have work to
/// the end: a matter of the other sizes alone.
[[nodiscard]] int parts_for(const ProductSizes& sizes);

/// Writes `matrices` row-major matrices, one after the other, of one part after the other. The
/// dimensions that are contiguous in an operand or the result are multiples of numbers_at_once, as
/// are `matrix` and `line`, and all begin at multiples of 16 bytes. Throws Error where CUDA
/// refuses, and with a hint where a grid has not so many blocks.
void launch_products(const BatchOperand& left, const BatchOperand& right, const ProductSizes& sizes,
                     float* result, CUstream_st* stream);

}  // namespace civitas::gpu
