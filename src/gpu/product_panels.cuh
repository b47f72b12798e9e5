#pragma once
/// Parts of two factors in shared memory, and how they come there. For what nvcc compiles.
#include "products.hpp"

#include <cuda_pipeline.h>
#include <cstdint>

namespace civitas::gpu {

/// Numbers of the inner dimension that are in a panel of shared memory.
constexpr int depth = 16;

__host__ __device__ inline std::int64_t panels_of(int inner) { return (inner + depth - 1) / depth; }

/// Part of an operand in shared memory, `outer` by `depth`, in the order that it has outside; lines
/// are so long that threads meet in no bank.
template <int outer, bool inner_is_contiguous>
struct Panel {
    static constexpr int lines = inner_is_contiguous ? outer : depth;
    static constexpr int of_line = inner_is_contiguous ? depth : outer;
    static constexpr int line = of_line + (inner_is_contiguous ? 8 : 4);

    alignas(16) float numbers[lines * line];

    /// Those of an even k and the next.
    [[nodiscard]] __device__ float2 pair(int o, int k) const {
        if constexpr (inner_is_contiguous)
            return *reinterpret_cast<const float2*>(numbers + o * line + k);
        else
            return {numbers[k * line + o], numbers[(k + 1) * line + o]};
    }
};

/// What a thread copies of one panel after the other; zeros beyond the ends.
template <class Shape, int outer, bool inner_is_contiguous>
class Copier {
public:
    using To = Panel<outer, inner_is_contiguous>;

    /// From (outer_begin, inner_begin) on.
    __device__ Copier(const BatchOperand& from, int outer_begin, int outer_end, int inner_begin,
                      int inner_end)
        : lines_apart_(step * from.line),
          panels_apart_(inner_is_contiguous ? depth : depth * from.line),
          inner_end_(inner_end) {
        const int line = static_cast<int>(threadIdx.x) / packs;
        const int in_line = static_cast<int>(threadIdx.x) % packs * numbers_at_once;
        const int o = outer_begin + (inner_is_contiguous ? line : in_line);
        inner_ = inner_begin + (inner_is_contiguous ? in_line : line);
        next_ =
            from.first + (inner_is_contiguous ? o * from.line + inner_ : inner_ * from.line + o);
        to_ = line * To::line + in_line;
#pragma unroll
        for (int i = 0; i < pieces; ++i)
            if (o + (inner_is_contiguous ? i * step : 0) < outer_end) inside_ |= 1U << i;
    }
    /// Begins to copy the next one.
    __device__ void copy(To& panel) {
        constexpr std::size_t bytes = numbers_at_once * sizeof(float);
#pragma unroll
        for (int i = 0; i < pieces; ++i) {
            const bool there = (inside_ >> i & 1U) != 0 &&
                               inner_ + (inner_is_contiguous ? 0 : i * step) < inner_end_;
            __pipeline_memcpy_async(panel.numbers + to_ + i * step * To::line,
                                    there ? next_ + i * lines_apart_ : next_, bytes,
                                    there ? 0 : bytes);
        }
        next_ += panels_apart_;
        inner_ += depth;
    }

private:
    static constexpr int packs = To::of_line / numbers_at_once;
    static constexpr int step = Shape::threads / packs;  ///< lines from one piece to the next
    static constexpr int pieces = To::lines / step;
    static_assert(Shape::threads % packs == 0 && To::lines % step == 0 && pieces <= 32);

    std::int64_t lines_apart_, panels_apart_;
    const float* next_;
    int inner_, inner_end_, to_;
    unsigned inside_ = 0;  ///< a bit for each piece
};

}  // namespace civitas::gpu
