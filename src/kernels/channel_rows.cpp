#include "channel_rows.hpp"

#include "civitas/base/vectorised.hpp"

#include <algorithm>

namespace civitas::kernels {
namespace {

using c10::BFloat16;

/// Length of the row that begins at a value of a run.
template <class Run>
CIVITAS_VECTOR_BODY std::int64_t length_at(const Run& run, std::int64_t begin) {
    return std::min(run.width, run.count - begin);
}

/// Asks for the values that lie some rows after these. Without it, loops that read two arrays get
/// half of what memory gives to one. There may be no such values: a prefetch cannot fail.
template <class T>
CIVITAS_VECTOR_BODY void prefetch_after(const T* row, std::int64_t length) {
    constexpr std::int64_t ahead = 4096, line = 64 / sizeof(T);
    for (std::int64_t i = 0; i < length; i += line) __builtin_prefetch(row + i + ahead);
}

template <class T>
CIVITAS_VECTOR_BODY void find_pivots(const ValueRun<const T>& x, float* pivot) {
    std::fill_n(pivot, x.width, 0.F);
    for (std::int64_t begin = 0; begin < x.count; begin += x.width) {
        const T* row = x.first + begin;
        const std::int64_t length = length_at(x, begin);
        prefetch_after(row, length);
#pragma GCC ivdep
        for (std::int64_t i = 0; i < length; ++i) pivot[i] += static_cast<float>(row[i]);
    }
    const std::int64_t rows = x.count / x.width, longer = x.count % x.width;
    const auto most = static_cast<float>(rows + 1), least = static_cast<float>(rows);
    for (std::int64_t i = 0; i < std::min(x.width, x.count); ++i)
        pivot[i] /= i < longer ? most : least;
}

template <class T>
CIVITAS_VECTOR_BODY void add_moments(const ValueRun<const T>& x, const MomentSums& sums) {
    find_pivots(x, sums.pivot);
    const float* pivot = sums.pivot;
    float *deviation = sums.deviation, *square = sums.square;
    std::fill_n(deviation, x.width, 0.F);
    std::fill_n(square, x.width, 0.F);
    for (std::int64_t begin = 0; begin < x.count; begin += x.width) {
        const T* row = x.first + begin;
        const std::int64_t length = length_at(x, begin);
#pragma GCC ivdep
        for (std::int64_t i = 0; i < length; ++i) {
            const float d = static_cast<float>(row[i]) - pivot[i];
            deviation[i] += d;
            square[i] += d * d;
        }
    }
}

template <class T>
CIVITAS_VECTOR_BODY void write_normalised(const ValueRun<const T>& x, const NormalisingRow& norm,
                                          T* y) {
    const auto [mean, scale, bias, slope] = norm;
    for (std::int64_t begin = 0; begin < x.count; begin += x.width) {
        const T* row = x.first + begin;
        T* out = y + begin;
        const std::int64_t length = length_at(x, begin);
#pragma GCC ivdep
        for (std::int64_t i = 0; i < length; ++i) {
            const float z = (static_cast<float>(row[i]) - mean[i]) * scale[i] + bias[i];
            out[i] = static_cast<T>(z > 0 ? z : z * slope);
        }
    }
}

template <class T>
CIVITAS_VECTOR_BODY void add_gradients(const ValueRun<const T>& x, const T* gy,
                                       const NormalisingRow& norm, const GradientSums& sums) {
    const auto [mean, scale, bias, slope] = norm;
    float *gradient = sums.gradient, *deviation = sums.deviation;
    std::fill_n(gradient, x.width, 0.F);
    std::fill_n(deviation, x.width, 0.F);
    for (std::int64_t begin = 0; begin < x.count; begin += x.width) {
        const T *row = x.first + begin, *g_row = gy + begin;
        const std::int64_t length = length_at(x, begin);
        prefetch_after(row, length);
        prefetch_after(g_row, length);
#pragma GCC ivdep
        for (std::int64_t i = 0; i < length; ++i) {
            const float d = static_cast<float>(row[i]) - mean[i];
            const float g = static_cast<float>(g_row[i]) * (d * scale[i] + bias[i] > 0 ? 1 : slope);
            gradient[i] += g;
            deviation[i] += g * d;
        }
    }
}

template <class T>
CIVITAS_VECTOR_BODY void write_gradients(const ValueRun<const T>& x, const T* gy,
                                         const NormalisingRow& norm, const GradientMeans& means,
                                         T* gx) {
    const auto [mean, scale, bias, slope] = norm;
    const auto [gradient, deviation] = means;
    for (std::int64_t begin = 0; begin < x.count; begin += x.width) {
        const T *row = x.first + begin, *g_row = gy + begin;
        T* out = gx + begin;
        const std::int64_t length = length_at(x, begin);
        prefetch_after(row, length);
        prefetch_after(g_row, length);
#pragma GCC ivdep
        for (std::int64_t i = 0; i < length; ++i) {
            const float d = static_cast<float>(row[i]) - mean[i];
            const float g = static_cast<float>(g_row[i]) * (d * scale[i] + bias[i] > 0 ? 1 : slope);
            out[i] = static_cast<T>(scale[i] * (g - gradient[i] - d * deviation[i]));
        }
    }
}

}  // namespace

CIVITAS_VECTORISED void sum_moments(ValueRun<const float> x, MomentSums sums) {
    add_moments(x, sums);
}
CIVITAS_VECTORISED void sum_moments(ValueRun<const BFloat16> x, MomentSums sums) {
    add_moments(x, sums);
}

CIVITAS_VECTORISED void normalise(ValueRun<const float> x, NormalisingRow norm, float* y) {
    write_normalised(x, norm, y);
}
CIVITAS_VECTORISED void normalise(ValueRun<const BFloat16> x, NormalisingRow norm, BFloat16* y) {
    write_normalised(x, norm, y);
}

CIVITAS_VECTORISED void sum_gradients(ValueRun<const float> x, const float* gy, NormalisingRow norm,
                                      GradientSums sums) {
    add_gradients(x, gy, norm, sums);
}
CIVITAS_VECTORISED void sum_gradients(ValueRun<const BFloat16> x, const BFloat16* gy,
                                      NormalisingRow norm, GradientSums sums) {
    add_gradients(x, gy, norm, sums);
}

CIVITAS_VECTORISED void normalise_gradients(ValueRun<const float> x, const float* gy,
                                            NormalisingRow norm, GradientMeans means, float* gx) {
    write_gradients(x, gy, norm, means, gx);
}
CIVITAS_VECTORISED void normalise_gradients(ValueRun<const BFloat16> x, const BFloat16* gy,
                                            NormalisingRow norm, GradientMeans means,
                                            BFloat16* gx) {
    write_gradients(x, gy, norm, means, gx);
}

}  // namespace civitas::kernels
