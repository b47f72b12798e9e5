#pragma once
/// Batch norm over rows of channels, with the leaky ReLU behind it, in steps that each compute many
/// independent numbers: see civitas/gpu/batch_norm.hpp. Compiled for a GPU by nvcc, and for a CPU
/// by the tests. Sums are made in chunks of rows and chunks of chunks, in an order that follows
/// from the shape alone.
#include <c10/macros/Macros.h>
#include <algorithm>
#include <cmath>
#include <cstdint>

namespace civitas::gpu {

/// Rows that are added up one after the other, and chunks of them.
inline constexpr std::int64_t rows_of_chunk = 32, chunks_at_once = 64;

/// Channels-last images: each pixel is a row of channels.
struct RowSizes {
    std::int64_t rows = 0, channels = 0;
};

/// What is applied, by channel, and what F found of x.
struct Norm {
    const float *weight = nullptr, *bias = nullptr;
    const float *mean = nullptr, *inverse_deviation = nullptr;
    float slope = 1;

    [[nodiscard]] C10_HOST_DEVICE float normalised(float x, std::int64_t c) const {
        return (x - mean[c]) * (inverse_deviation[c] * weight[c]) + bias[c];
    }
    /// The gradient of what normalised() gave, by that of y.
    [[nodiscard]] C10_HOST_DEVICE float inner(float gy, float x, std::int64_t c) const {
        return normalised(x, c) > 0 ? gy : slope * gy;
    }
};

/// Two numbers for each chunk and channel, a row of channels for each chunk.
struct Pairs {
    float *first = nullptr, *second = nullptr;
};

/// Chunks of rows, and of these.
struct Chunks {
    RowSizes sizes;
    std::int64_t rows_of_each = rows_of_chunk;

    [[nodiscard]] C10_HOST_DEVICE std::int64_t count() const {
        return (sizes.rows + rows_of_each - 1) / rows_of_each;
    }
    /// Rows of one of them: the last may have fewer.
    [[nodiscard]] C10_HOST_DEVICE std::int64_t rows(std::int64_t chunk) const {
        const std::int64_t left = sizes.rows - chunk * rows_of_each;
        return left < rows_of_each ? left : rows_of_each;
    }
    [[nodiscard]] Chunks joined() const { return {sizes, rows_of_each * chunks_at_once}; }
};

/// Mean and sum of squared deviations of a chunk, about its first value.
template <class T>
struct ChunkMoments {
    Chunks chunks;
    const T* x;
    Pairs moments;

    C10_HOST_DEVICE void operator()(std::int64_t i) const {
        const std::int64_t channels = chunks.sizes.channels, chunk = i / channels;
        const T* next = x + chunk * chunks.rows_of_each * channels + i % channels;
        const std::int64_t rows = chunks.rows(chunk);
        const auto pivot = static_cast<float>(*next);
        float sum = 0, squares = 0;
        for (std::int64_t row = 0; row < rows; ++row, next += channels) {
            const float apart = static_cast<float>(*next) - pivot;
            sum += apart;
            squares += apart * apart;
        }
        const float mean = sum / static_cast<float>(rows);
        moments.first[i] = pivot + mean;
        moments.second[i] = squares - sum * mean;
    }
};

/// Adds up moments, by the formula of Chan, Golub and LeVeque (1983).
struct JoiningMoments {
    double rows = 0, first = 0, second = 0;  ///< `first`: the mean; `second`: squared deviations

    C10_HOST_DEVICE void add(double mean, double squares, double more) {
        const double apart = mean - first;
        second += squares + apart * apart * rows * more / (rows + more);
        rows += more;
        first += apart * more / rows;
    }
};

struct JoiningSums {
    double first = 0, second = 0;

    C10_HOST_DEVICE void add(double more_first, double more_second, double /*rows*/) {
        first += more_first;
        second += more_second;
    }
};

/// Chunks of chunks, as `Joining` adds them up.
template <class Joining>
struct Joined {
    Chunks from;
    Pairs pairs, joined;

    C10_HOST_DEVICE void operator()(std::int64_t i) const {
        const std::int64_t channels = from.sizes.channels, count = from.count();
        const std::int64_t first = i / channels * chunks_at_once;
        Joining all;
        for (std::int64_t k = first; k < first + chunks_at_once && k < count; ++k) {
            const std::int64_t at = k * channels + i % channels;
            all.add(static_cast<double>(pairs.first[at]), static_cast<double>(pairs.second[at]),
                    static_cast<double>(from.rows(k)));
        }
        joined.first[i] = static_cast<float>(all.first);
        joined.second[i] = static_cast<float>(all.second);
    }
};

/// What F tells of a channel.
struct FinishedMoments {
    RowSizes sizes;
    double epsilon;
    Pairs moments;
    float *mean, *inverse_deviation, *unbiased_variance;

    C10_HOST_DEVICE void operator()(std::int64_t c) const {
        const auto rows = static_cast<double>(sizes.rows);
        const auto squares = static_cast<double>(moments.second[c]);
        mean[c] = moments.first[c];
        inverse_deviation[c] = static_cast<float>(1 / std::sqrt(squares / rows + epsilon));
        unbiased_variance[c] = static_cast<float>(squares / (rows - 1));
    }
};

template <class T>
struct NormalisedValue {
    std::int64_t channels;
    Norm norm;
    const T* x;
    T* y;

    C10_HOST_DEVICE void operator()(std::int64_t i) const {
        const float z = norm.normalised(static_cast<float>(x[i]), i % channels);
        y[i] = static_cast<T>(z > 0 ? z : norm.slope * z);
    }
};

/// Sums over a chunk of g and of g (x - mean).
template <class T>
struct ChunkGradients {
    Chunks chunks;
    Norm norm;
    const T *x, *gy;
    Pairs sums;

    C10_HOST_DEVICE void operator()(std::int64_t i) const {
        const std::int64_t channels = chunks.sizes.channels, chunk = i / channels;
        const std::int64_t c = i % channels, rows = chunks.rows(chunk);
        std::int64_t at = chunk * chunks.rows_of_each * channels + c;
        float gradient = 0, deviation = 0;
        for (std::int64_t row = 0; row < rows; ++row, at += channels) {
            const auto value = static_cast<float>(x[at]);
            const float g = norm.inner(static_cast<float>(gy[at]), value, c);
            gradient += g;
            deviation += g * (value - norm.mean[c]);
        }
        sums.first[i] = gradient;
        sums.second[i] = deviation;
    }
};

/// The gradients of a channel's parameters.
struct FinishedSums {
    Norm norm;
    Pairs sums;
    float *g_weight, *g_bias;

    C10_HOST_DEVICE void operator()(std::int64_t c) const {
        g_weight[c] = norm.inverse_deviation[c] * sums.second[c];
        g_bias[c] = sums.first[c];
    }
};

template <class T>
struct NormalisedGradient {
    RowSizes sizes;
    Norm norm;
    Pairs sums;
    const T *x, *gy;
    T* gx;  ///< may be gy

    C10_HOST_DEVICE void operator()(std::int64_t i) const {
        const std::int64_t c = i % sizes.channels;
        const float share = 1 / static_cast<float>(sizes.rows), d = norm.inverse_deviation[c];
        const auto value = static_cast<float>(x[i]);
        const float g = norm.inner(static_cast<float>(gy[i]), value, c);
        const float along = (value - norm.mean[c]) * d * d * sums.second[c];
        gx[i] = static_cast<T>(norm.weight[c] * d * (g - (sums.first[c] + along) * share));
    }
};

/// Floats of workspace that the sums of all chunks need.
[[nodiscard]] inline std::int64_t workspace_for(const RowSizes& sizes) {
    std::int64_t rows = 0;
    Chunks chunks{sizes};
    for (; chunks.count() > 1; chunks = chunks.joined()) rows += chunks.count();
    return 2 * (rows + 1) * sizes.channels;
}

/// The next two rows of channels for each chunk, out of what workspace is left.
inline Pairs take(float*& workspace, const Chunks& chunks) {
    const std::int64_t numbers = chunks.count() * chunks.sizes.channels;
    const Pairs pairs{workspace, workspace + numbers};
    workspace += 2 * numbers;
    return pairs;
}

/// Joins chunks by `Joining` until there is one. `launch(n, step)` calls step(0) to step(n - 1).
template <class Joining, class Launch>
Pairs join_all(Chunks chunks, Pairs pairs, float* workspace, const Launch& launch) {
    while (chunks.count() > 1) {
        const Chunks fewer = chunks.joined();
        const Pairs joined = take(workspace, fewer);
        launch(fewer.count() * chunks.sizes.channels, Joined<Joining>{chunks, pairs, joined});
        chunks = fewer;
        pairs = joined;
    }
    return pairs;
}

/// F: what is found of x is written to where `norm` reads it, and to the others.
template <class T>
struct NormForward {
    RowSizes sizes;
    Norm norm;
    double epsilon;
    const T* x;
    T* y;
    float *mean, *inverse_deviation, *unbiased_variance;
    float* workspace;  ///< workspace_for(sizes)

    template <class Launch>
    void run(const Launch& launch) const {
        const Chunks chunks{sizes};
        float* left = workspace;
        const Pairs of_chunks = take(left, chunks);
        launch(chunks.count() * sizes.channels, ChunkMoments<T>{chunks, x, of_chunks});
        const Pairs all = join_all<JoiningMoments>(chunks, of_chunks, left, launch);
        launch(sizes.channels,
               FinishedMoments{sizes, epsilon, all, mean, inverse_deviation, unbiased_variance});
        launch(sizes.rows * sizes.channels, NormalisedValue<T>{sizes.channels, norm, x, y});
    }
};

/// B and W.
template <class T>
struct NormBackward {
    RowSizes sizes;
    Norm norm;
    const T *x, *gy;
    T* gx;
    float *g_weight, *g_bias;
    float* workspace;  ///< workspace_for(sizes)

    template <class Launch>
    void run(const Launch& launch) const {
        const Chunks chunks{sizes};
        float* left = workspace;
        const Pairs of_chunks = take(left, chunks);
        launch(chunks.count() * sizes.channels, ChunkGradients<T>{chunks, norm, x, gy, of_chunks});
        const Pairs all = join_all<JoiningSums>(chunks, of_chunks, left, launch);
        launch(sizes.channels, FinishedSums{norm, all, g_weight, g_bias});
        launch(sizes.rows * sizes.channels, NormalisedGradient<T>{sizes, norm, all, x, gy, gx});
    }
};

}  // namespace civitas::gpu
