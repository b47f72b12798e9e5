#include "products.hpp"

#include "civitas/base/error.hpp"

#include <ATen/cuda/CUDAContextLight.h>
#include <ATen/cuda/Exceptions.h>
#include <ATen/ops/empty.h>
#include <limits>

namespace civitas::gpu {
namespace {

int as_int(std::int64_t number) {
    ensure(number <= std::numeric_limits<int>::max(), "cuBLAS counts with int");
    return static_cast<int>(number);
}

/// A batch of matrices as cuBLAS has it, column by column: what is contiguous here is transposed
/// there.
struct Operand {
    const float* first;
    cublasOperation_t operation;
    int leading;
    long long stride;

    explicit Operand(const at::Tensor& t) : first(t.const_data_ptr<float>()), stride(t.stride(0)) {
        const bool rows = t.stride(2) == 1;
        ensure(t.dim() == 3 && (rows || t.stride(1) == 1), "matrices are contiguous or transposed");
        operation = rows ? CUBLAS_OP_N : CUBLAS_OP_T;
        leading = as_int(t.stride(rows ? 1 : 2));
    }
};

}  // namespace

at::Tensor multiply_in_tf32(const at::Tensor& a, const at::Tensor& b) {
    ensure(a.size(0) == b.size(0) && a.size(2) == b.size(1), "matrices fit each other");
    at::Tensor c = at::empty({a.size(0), a.size(1), b.size(2)}, a.options());
    const Operand left(a), right(b);
    const float one = 1, zero = 0;
    TORCH_CUDABLAS_CHECK(cublasGemmStridedBatchedEx(
        at::cuda::getCurrentCUDABlasHandle(), right.operation, left.operation, as_int(c.size(2)),
        as_int(c.size(1)), as_int(a.size(2)), &one, right.first, CUDA_R_32F, right.leading,
        right.stride, left.first, CUDA_R_32F, left.leading, left.stride, &zero,
        c.mutable_data_ptr<float>(), CUDA_R_32F, as_int(c.size(2)), c.stride(0), as_int(c.size(0)),
        CUBLAS_COMPUTE_32F_FAST_TF32, CUBLAS_GEMM_DEFAULT));
    return c;
}

}  // namespace civitas::gpu
