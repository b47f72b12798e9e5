#pragma once
/// Loops over channels-last values for batch norm. Values are taken in rows of `width`, a multiple
/// of the number of channels, so that a row is long enough for vectors even of few channels: value
/// i belongs to position i % width, and the last row may be short.
#include <c10/util/BFloat16.h>
#include <cstdint>

namespace civitas::kernels {

/// A run of values that begins with a row.
template <class T>
struct ValueRun {
    T* first;
    std::int64_t count;
    std::int64_t width;
};

/// Sums of a run, one per position. `pivot` is a mean of the position's values.
struct MomentSums {
    float* pivot;
    float* deviation;  ///< sum of x - pivot: what rounding left
    float* square;     ///< sum of (x - pivot)^2
};
void sum_moments(ValueRun<const float> x, MomentSums sums);
void sum_moments(ValueRun<const c10::BFloat16> x, MomentSums sums);

/// z = (x - mean) scale + bias, by position; negative values times `slope` are the output.
struct NormalisingRow {
    const float* mean;
    const float* scale;
    const float* bias;
    float slope;
};
void normalise(ValueRun<const float> x, NormalisingRow norm, float* y);
void normalise(ValueRun<const c10::BFloat16> x, NormalisingRow norm, c10::BFloat16* y);

/// Sums of a run's gradients g of z, one per position.
struct GradientSums {
    float* gradient;   ///< sum of g
    float* deviation;  ///< sum of g (x - mean)
};
void sum_gradients(ValueRun<const float> x, const float* gy, NormalisingRow norm,
                   GradientSums sums);
void sum_gradients(ValueRun<const c10::BFloat16> x, const c10::BFloat16* gy, NormalisingRow norm,
                   GradientSums sums);

/// gx = scale (g - gradient - (x - mean) deviation), by position; gx may be gy.
struct GradientMeans {
    const float* gradient;
    const float* deviation;
};
void normalise_gradients(ValueRun<const float> x, const float* gy, NormalisingRow norm,
                         GradientMeans means, float* gx);
void normalise_gradients(ValueRun<const c10::BFloat16> x, const c10::BFloat16* gy,
                         NormalisingRow norm, GradientMeans means, c10::BFloat16* gx);

}  // namespace civitas::kernels
