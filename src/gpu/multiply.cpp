#include "multiply.hpp"

#include "products.hpp"

#include "civitas/base/error.hpp"

#include <ATen/ops/bmm.h>
#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAStream.h>
#include <limits>
#include <optional>

namespace civitas::gpu {
namespace {

bool is_multiple(std::int64_t numbers) { return numbers % numbers_at_once == 0; }

bool begins_evenly(const float* first) {
    return reinterpret_cast<std::uintptr_t>(first) % (numbers_at_once * sizeof(float)) == 0;
}

/// A factor, if tensor cores can take it.
std::optional<BatchOperand> operand_of(const at::Tensor& t, bool left) {
    const bool by_row = t.stride(2) == 1;
    if (!by_row && t.stride(1) != 1) return std::nullopt;
    const int lines = by_row ? 1 : 2;  // the dimension along which lines follow each other
    const BatchOperand operand{t.const_data_ptr<float>(), t.stride(0), t.stride(lines),
                               by_row == left};
    if (!begins_evenly(operand.first) || !is_multiple(operand.matrix) ||
        !is_multiple(operand.line) || !is_multiple(t.size(3 - lines)))
        return std::nullopt;
    return operand;
}

int as_int(std::int64_t number) {
    ensure(number <= std::numeric_limits<int>::max(), "matrices have sides of int");
    return static_cast<int>(number);
}

}  // namespace

at::Tensor multiply(const at::Tensor& a, const at::Tensor& b) {
    ensure(a.is_cuda() && a.dim() == 3 && b.dim() == 3 && a.size(0) == b.size(0) &&
               a.size(2) == b.size(1),
           "matrices fit each other");
    const auto left = operand_of(a, true), right = operand_of(b, false);
    if (!left || !right || !is_multiple(b.size(2))) return at::bmm(a, b).unsqueeze(0);
    ProductSizes sizes{a.size(0), as_int(a.size(1)), as_int(b.size(2)), as_int(a.size(2))};
    sizes.parts = parts_for(sizes);
    at::Tensor c = at::empty({sizes.parts, a.size(0), a.size(1), b.size(2)}, a.options());
    launch_products(*left, *right, sizes, c.mutable_data_ptr<float>(),
                    c10::cuda::getCurrentCUDAStream());
    return c;
}

}  // namespace civitas::gpu
