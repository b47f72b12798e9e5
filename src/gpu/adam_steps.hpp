#pragma once
/// Adam, some elements at a time: see civitas/gpu/adam.hpp. Compiled for a GPU by nvcc, and for a
/// CPU by the tests.
#include "civitas/gpu/adam_scales.hpp"

#include <c10/macros/Macros.h>
#include <c10/util/BFloat16.h>
#include <cmath>
#include <cstdint>

namespace civitas::gpu {

/// The next weight; changes the moments. Fused products are named, and no other is left that a
/// compiler might fuse with a sum: it could do so in packs, and not in single elements.
C10_HOST_DEVICE inline float next_weight(const AdamScales& by, float weight, float gradient,
                                         float& first, float& second) {
    const float g = std::fma(by.decay, weight, gradient);
    first = std::fma(by.rest1, g - first, first);
    second = std::fma(by.beta2, second, by.rest2 * (g * g));
    return weight - by.step * first / std::fma(std::sqrt(second), by.inverse_root2, by.epsilon);
}

/// The arrays of an update in memory.
struct AdamRun {
    AdamScales by;
    float mean_decay, mean_rest;
    std::int64_t count;
    float* weights;
    const float* gradient;
    float *first, *second;
    float* mean;                  ///< may be null
    c10::BFloat16* compute_copy;  ///< may be null
    const double* condition;      ///< the update is made if it is finite; null: always

    [[nodiscard]] C10_HOST_DEVICE bool is_made() const {
        return condition == nullptr || std::isfinite(*condition);
    }
};

/// Numbers that are read or written at once.
template <class T, int width>
struct alignas(sizeof(T) * width) [[gnu::may_alias]] Pack {
    T of[width];
};

/// Elements from width * i on; every array begins where a Pack may.
template <int width>
struct AdamStep {
    AdamRun run;

    C10_HOST_DEVICE void operator()(std::int64_t i) const {
        if (!run.is_made()) return;
        const std::int64_t begin = i * width;
        if (begin + width <= run.count) return update<width>(begin);
        for (std::int64_t rest = begin; rest < run.count; ++rest) update<1>(rest);
    }

private:
    template <int some, class T>
    C10_HOST_DEVICE static Pack<T, some>& pack(T* array, std::int64_t begin) {
        return *reinterpret_cast<Pack<T, some>*>(array + begin);
    }
    template <int some, class T>
    C10_HOST_DEVICE static const Pack<T, some>& pack(const T* array, std::int64_t begin) {
        return *reinterpret_cast<const Pack<T, some>*>(array + begin);
    }

    template <int some>
    C10_HOST_DEVICE void update(std::int64_t begin) const {
        Pack<float, some> weights = pack<some>(run.weights, begin);
        const Pack<float, some> gradient = pack<some>(run.gradient, begin);
        Pack<float, some> first = pack<some>(run.first, begin);
        Pack<float, some> second = pack<some>(run.second, begin);
        Pack<float, some> mean{};
        if (run.mean != nullptr) mean = pack<some>(run.mean, begin);
        Pack<c10::BFloat16, some> rounded;
        for (int k = 0; k < some; ++k) {
            const float w =
                next_weight(run.by, weights.of[k], gradient.of[k], first.of[k], second.of[k]);
            weights.of[k] = w;
            mean.of[k] = std::fma(run.mean_decay, mean.of[k], run.mean_rest * w);
            rounded.of[k] = static_cast<c10::BFloat16>(w);
        }
        pack<some>(run.weights, begin) = weights;
        pack<some>(run.first, begin) = first;
        pack<some>(run.second, begin) = second;
        if (run.mean != nullptr) pack<some>(run.mean, begin) = mean;
        if (run.compute_copy != nullptr) pack<some>(run.compute_copy, begin) = rounded;
    }
};

/// `launch(n, step)` calls step(0) to step(n - 1).
struct AdamUpdate {
    AdamRun all;

    template <class Launch>
    void run(const Launch& launch) const {
        if (begin_packs()) return launch((all.count + width - 1) / width, AdamStep<width>{all});
        launch(all.count, AdamStep<1>{all});
    }

private:
    static constexpr int width = 4;

    template <class T>
    static bool begins_pack(const T* array) {
        return reinterpret_cast<std::uintptr_t>(array) % alignof(Pack<T, width>) == 0;
    }
    [[nodiscard]] bool begin_packs() const {
        return begins_pack(all.weights) && begins_pack(all.gradient) && begins_pack(all.first) &&
               begins_pack(all.second) && begins_pack(all.mean) && begins_pack(all.compute_copy);
    }
};

}  // namespace civitas::gpu
