#include "support/tensor.hpp"

// How a GPU looks for numbers that are not finite, compiled for a CPU: no GPU is needed.
#include "gpu/finite_step.hpp"

#include <ATen/ops/full.h>

using namespace civitas;

namespace {

template <class T>
double after(const at::Tensor& values) {
    double number = 1;
    const gpu::FiniteStep<T> step{values.const_data_ptr<T>(), values.numel(), &number};
    for (std::int64_t i = 0; i < step.steps(); ++i) step(i);
    return number;
}

template <class T>
void check(at::ScalarType type) {
    for (const std::int64_t count : {1, 31, 257, 1003}) {
        const at::Tensor values = at::full({count}, -3e38, type);
        CHECK(after<T>(values) == 1);
        for (std::int64_t i = 0; i < count; ++i)
            for (const double bad : {NAN, INFINITY, -INFINITY}) {
                const at::Tensor one = values[i];
                const double before = one.item<double>();
                one.fill_(bad);
                CHECK(std::isnan(after<T>(values)));
                one.fill_(before);
            }
    }
}

}  // namespace

TEST_CASE("every number that is not finite is found, wherever it lies") {
    check<float>(at::kFloat);
    check<double>(at::kDouble);
}
