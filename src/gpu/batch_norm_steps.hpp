#pragma once
/// Batch norm over rows of channels, with the leaky ReLU behind it, forward and backward, as passes
/// that blocks of threads make: see civitas/gpu/batch_norm.hpp.
#include "channel_pass.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace civitas::gpu {

/// What is applied, by channel.
struct Norm {
    const float *weight = nullptr, *bias = nullptr;
    float slope = 1;
};

/// What is in memory of one of them, as far as it is known.
struct GivenChannel {
    float weight, bias, mean, inverse_deviation;
};

/// And what that comes to. F and B compute z alike, so that it has the same sign.
struct NormChannel {
    float mean, scale, bias;

    C10_HOST_DEVICE static NormChannel of(const GivenChannel& given) {
        return {given.mean, given.inverse_deviation * given.weight, given.bias};
    }
    [[nodiscard]] C10_HOST_DEVICE float normalised(float x) const {
        return (x - mean) * scale + bias;
    }
    /// The gradient of what normalised() gave, by that of y.
    [[nodiscard]] C10_HOST_DEVICE float inner(float gy, float x, float slope) const {
        return normalised(x) > 0 ? gy : slope * gy;
    }
};

/// F: what is found of x, and y.
template <class T>
struct NormForward {
    RowSizes sizes;
    Norm norm;
    float epsilon;
    const T* x;
    T* y;
    float *mean, *inverse_deviation, *unbiased_variance;
    float* workspace;  ///< workspace_for(sizes)

    template <class Launch>
    void run(const Launch& launch) const;
};

/// B and W.
template <class T>
struct NormBackward {
    RowSizes sizes;
    Norm norm;
    const float *mean, *inverse_deviation;
    const T *x, *gy;
    T* gx;  ///< may be gy
    float *g_weight, *g_bias;
    float* workspace;  ///< workspace_for(sizes)

    template <class Launch>
    void run(const Launch& launch) const;
};

template <class T, bool whole>
struct Forward {
    using Number = T;
    using Given = GivenChannel;
    using Channel = NormChannel;
    using Fold = MomentFold;
    struct Row {
        Vector<T> x;
    };

    NormForward<T> of;

    [[nodiscard]] C10_HOST_DEVICE Row load(std::int64_t element, int channels) const {
        return {gpu::load<whole>(of.x + element, channels)};
    }

    /// Mean and sum of squared deviations of each channel, about its first value: of n values that
    /// loses a factor of n at most, however far off that one is.
    template <int count>
    C10_HOST_DEVICE void sum(const ThreadRows& rows, const Batch<Row, count>& ahead,
                             Pair (&found)[vector_width]) const {
        float total[vector_width] = {}, squares[vector_width] = {}, n = 0;
        const auto pivot = [&](int j) { return static_cast<float>(ahead.of[0].x[j]); };
        rows.for_each(*this, ahead, [&](std::int64_t /*element*/, const Row& row) {
            for (int j = 0; j < vector_width; ++j) {
                const float apart = static_cast<float>(row.x[j]) - pivot(j);
                total[j] += apart;
                squares[j] += apart * apart;
            }
            ++n;
        });
        const float share = n > 0 ? 1 / n : 0;
        for (int j = 0; j < vector_width; ++j) {
            const float mean = total[j] * share;
            found[j] = {pivot(j) + mean, squares[j] - total[j] * mean};
        }
    }

    [[nodiscard]] C10_HOST_DEVICE Given given(int c) const {
        return {of.norm.weight[c], of.norm.bias[c], 0, 0};
    }

    C10_HOST_DEVICE Channel finish(int c, const Portion& all, Given channel, bool writes) const {
        channel.mean = all.first;
        channel.inverse_deviation = 1 / std::sqrt(all.second / all.rows + of.epsilon);
        if (writes) {
            of.mean[c] = channel.mean;
            of.inverse_deviation[c] = channel.inverse_deviation;
            of.unbiased_variance[c] = all.second / (all.rows - 1);
        }
        return NormChannel::of(channel);
    }

    template <int count>
    C10_HOST_DEVICE void apply(const ThreadRows& rows, const Batch<Row, count>& ahead,
                               const Channel (&channels)[vector_width]) const {
        rows.for_each(*this, ahead, [&](std::int64_t element, const Row& row) {
            T y[vector_width];
            for (int j = 0; j < vector_width; ++j) {
                const float z = channels[j].normalised(static_cast<float>(row.x[j]));
                y[j] = static_cast<T>(z > 0 ? z : of.norm.slope * z);
            }
            store<whole>(vector_of(y), of.y + element, rows.channels);
        });
    }
};

template <class T, bool whole>
struct Backward {
    struct Channel {
        NormChannel norm;
        float gradient, along;  ///< what g loses, and for each unit of x - mean
    };
    using Number = T;
    using Given = GivenChannel;
    using Fold = SumFold;
    struct Row {
        Vector<T> x, gy;
    };

    NormBackward<T> of;

    [[nodiscard]] C10_HOST_DEVICE Row load(std::int64_t element, int channels) const {
        return {gpu::load<whole>(of.x + element, channels),
                gpu::load<whole>(of.gy + element, channels)};
    }

    /// Sums of g and of g (x - mean).
    template <int count>
    C10_HOST_DEVICE void sum(const ThreadRows& rows, const Batch<Row, count>& ahead,
                             Pair (&found)[vector_width]) const {
        NormChannel channels[vector_width] = {};
        for (int j = 0; j < vector_width; ++j) {
            found[j] = {};
            if (j < rows.channels) channels[j] = NormChannel::of(given(rows.channel + j));
        }
        rows.for_each(*this, ahead, [&](std::int64_t /*element*/, const Row& row) {
            for (int j = 0; j < vector_width; ++j) {
                const auto x = static_cast<float>(row.x[j]);
                const float gy = static_cast<float>(row.gy[j]);
                const float g = channels[j].inner(gy, x, of.norm.slope);
                found[j].first += g;
                found[j].second += g * (x - channels[j].mean);
            }
        });
    }

    [[nodiscard]] C10_HOST_DEVICE Given given(int c) const {
        return {of.norm.weight[c], of.norm.bias[c], of.mean[c], of.inverse_deviation[c]};
    }

    C10_HOST_DEVICE Channel finish(int c, const Portion& all, const Given& channel,
                                   bool writes) const {
        const float d = channel.inverse_deviation;
        if (writes) {
            of.g_weight[c] = d * all.second;
            of.g_bias[c] = all.first;
        }
        return {NormChannel::of(channel), all.first / all.rows, d * d * all.second / all.rows};
    }

    template <int count>
    C10_HOST_DEVICE void apply(const ThreadRows& rows, const Batch<Row, count>& ahead,
                               const Channel (&channels)[vector_width]) const {
        rows.for_each(*this, ahead, [&](std::int64_t element, const Row& row) {
            T gx[vector_width];
            for (int j = 0; j < vector_width; ++j) {
                const auto& [norm, gradient, along] = channels[j];
                const auto x = static_cast<float>(row.x[j]);
                const float g = norm.inner(static_cast<float>(row.gy[j]), x, of.norm.slope);
                gx[j] = static_cast<T>(norm.scale * (g - gradient - (x - norm.mean) * along));
            }
            store<whole>(vector_of(gx), of.gx + element, rows.channels);
        });
    }
};

/// Whether rows of channels from each of these on are whole vectors.
template <class T>
[[nodiscard]] bool whole_vectors(const RowSizes& sizes, std::initializer_list<const T*> first) {
    return sizes.channels % vector_width == 0 &&
           std::all_of(first.begin(), first.end(), [](const T* images) {
               return reinterpret_cast<std::uintptr_t>(images) % alignof(Vector<T>) == 0;
           });
}

template <class T>
template <class Launch>
void NormForward<T>::run(const Launch& launch) const {
    if (whole_vectors<T>(sizes, {x, y}))
        run_pass(Forward<T, true>{*this}, sizes, workspace, launch);
    else
        run_pass(Forward<T, false>{*this}, sizes, workspace, launch);
}

template <class T>
template <class Launch>
void NormBackward<T>::run(const Launch& launch) const {
    if (whole_vectors<T>(sizes, {x, gy, gx}))
        run_pass(Backward<T, true>{*this}, sizes, workspace, launch);
    else
        run_pass(Backward<T, false>{*this}, sizes, workspace, launch);
}

}  // namespace civitas::gpu
