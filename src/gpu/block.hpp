#pragma once
/// A block of threads that adds up what is told of the channels of a tile. Compiled for a GPU by
/// nvcc, and for a CPU by the tests, where the threads of a block are a loop.
#include <c10/macros/Macros.h>
#include <cstdint>

namespace civitas::gpu {

/// A thread has `vector_width` channels that are neighbours in memory, `lanes` threads the channels
/// of a tile, and `lines` of these take turns at the rows.
inline constexpr int vector_width = 4, lanes = 8, lines = 64;
inline constexpr int threads_of_block = lanes * lines, tile_width = lanes * vector_width;
/// What has been found of a tile is added up by a thread for each channel and group of portions.
inline constexpr int groups = threads_of_block / tile_width;

/// What a block works at: channels, and rows.
struct BlockIndex {
    int tile = 0, chunk = 0;
};

/// A phase: calls phase(t) for every thread t of the block, and waits for all of them.
template <class Phase>
C10_HOST_DEVICE void each_thread(const Phase& phase) {
#ifdef __CUDA_ARCH__
    phase(static_cast<int>(threadIdx.x));
    __syncthreads();
#else
    for (int t = threads_of_block; t-- > 0;) phase(t);
#endif
}

/// What a thread keeps from one phase to the next: in registers of a GPU.
template <class Value>
class PerThread {
public:
#ifdef __CUDA_ARCH__
    __device__ Value& operator[](int /*t*/) { return value_; }

private:
    Value value_;
#else
    Value& operator[](int t) { return values_[t]; }

private:
    Value values_[threads_of_block];
#endif
};

/// Two sums over rows of a channel.
struct alignas(8) Pair {
    float first, second;
};

/// And over how many rows they are.
struct Portion {
    float rows, first, second;
};

/// Portions of `first`, the mean, and `second`, the sum of squared deviations from it, by the
/// formula of Chan, Golub and LeVeque (1983). Empty ones are behind the others.
struct MomentFold {
    template <int count>
    static C10_HOST_DEVICE Portion of(const Portion (&portions)[count]) {
        Portion all{};
        for (const Portion& p : portions) all.rows += p.rows;
        if (all.rows == 0) return all;
        const float pivot = portions[0].first;
        for (const Portion& p : portions) all.first += p.rows * (p.first - pivot);
        all.first = pivot + all.first / all.rows;
        for (const Portion& p : portions) {
            const float apart = p.first - all.first;
            all.second += p.second + p.rows * apart * apart;
        }
        return all;
    }
};

struct SumFold {
    template <int count>
    static C10_HOST_DEVICE Portion of(const Portion (&portions)[count]) {
        Portion all{};
        for (const Portion& p : portions) {
            all.rows += p.rows;
            all.first += p.first;
            all.second += p.second;
        }
        return all;
    }
};

/// Memory of a block. `Channel`: what all its threads are told of a channel.
template <class Channel>
struct SharedMemory {
    /// Of every thread, a row for each of its channels: so long that neither threads that write
    /// nor threads that read meet in a bank.
    Pair of_threads[vector_width][threads_of_block + 4];
    Portion of_groups[groups][tile_width];
    Channel channels[tile_width];

    [[nodiscard]] C10_HOST_DEVICE Pair of_line(int line, int channel) const {
        return of_threads[channel % vector_width][line * lanes + channel / vector_width];
    }
};

/// The channel of the tile and the group of portions that a thread folds.
struct Folding {
    int channel = 0, group = 0;
    C10_HOST_DEVICE explicit Folding(int t) : channel(t % tile_width), group(t / tile_width) {}

    /// Of portion(i) for i < count, those of the group.
    template <class Fold, int count, class PortionOf>
    [[nodiscard]] C10_HOST_DEVICE Portion of_group(const PortionOf& portion) const {
        constexpr int size = count / groups;
        static_assert(size * groups == count);
        Portion portions[size];
        for (int k = 0; k < size; ++k) portions[k] = portion(group * size + k);
        return Fold::of(portions);
    }
};

}  // namespace civitas::gpu
