#include "civitas/kernels/tanh.hpp"

#include "simd.hpp"

#include "civitas/base/vectorised.hpp"

#include <ATen/Parallel.h>
#include <ATen/ops/empty_like.h>
#include <algorithm>

namespace civitas::kernels {
namespace {

CIVITAS_VECTOR_BODY float tanh_of(float x) {
    constexpr float bound = 7.90531111F;  // beyond it the result is 1 in fp32
    // A NaN passes both comparisons.
    const float below = x > bound ? bound : x;
    const float a = below < -bound ? -bound : below;
    const float s = a * a;
    float p = -2.76076847742355e-16F;
    p = p * s + 2.00018790482477e-13F;
    p = p * s - 8.60467152213735e-11F;
    p = p * s + 5.12229709037114e-08F;
    p = p * s + 1.48572235717979e-05F;
    p = p * s + 6.37261928875436e-04F;
    p = p * s + 4.89352455891786e-03F;
    float q = 1.19825839466702e-06F;
    q = q * s + 1.18534705686654e-04F;
    q = q * s + 2.26843463243900e-03F;
    q = q * s + 4.89352518554385e-03F;
    return a * p / q;
}

template <class T>
CIVITAS_VECTOR_BODY void tanh_all(const T* x, std::int64_t count, T* y) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i)
        y[i] = static_cast<T>(tanh_of(static_cast<float>(x[i])));
}

CIVITAS_VECTORISED void tanh_run(const float* x, std::int64_t count, float* y) {
    tanh_all(x, count, y);
}
CIVITAS_VECTORISED void tanh_run(const c10::BFloat16* x, std::int64_t count, c10::BFloat16* y) {
    tanh_all(x, count, y);
}

template <class T>
void fill_tanh(const at::Tensor& x, const at::Tensor& y) {
    constexpr std::int64_t block = 1 << 15;
    const T* from = x.const_data_ptr<T>();
    T* to = y.mutable_data_ptr<T>();
    at::parallel_for(0, x.numel(), block, [&](std::int64_t begin, std::int64_t end) {
        tanh_run(from + begin, end - begin, to + begin);
    });
}

}  // namespace

at::Tensor tanh(const at::Tensor& x) {
    ensure(x.is_cpu() && x.is_non_overlapping_and_dense(), "values lie densely in memory");
    at::Tensor y = at::empty_like(x);
    with_type(x.scalar_type(), [&]<class T>(T) { fill_tanh<T>(x, y); });
    return y;
}

}  // namespace civitas::kernels
