#include "products.hpp"

#include "launch_each.cuh"

#include <cuda_pipeline.h>

namespace civitas::gpu {
namespace {

/// What a warp multiplies at once: 16 x 8 results of 8 products each (PTX's m16n8k8).
constexpr int side_down = 16, side_across = 8, side_inner = 8;
/// Numbers of the inner dimension that are in a panel of shared memory.
constexpr int depth = 16;

/// What a block of threads computes: `down` by `across` warps, each of which has results of as many
/// sides. Blocks are small, so that there are some for each multiprocessor.
constexpr int down = 2, across = 2, threads = 32 * down * across;
constexpr int down_of_warp = 2, across_of_warp = 4;
constexpr int rows_of_warp = down_of_warp * side_down;
constexpr int columns_of_warp = across_of_warp * side_across;
constexpr int rows_of_block = down * rows_of_warp, columns_of_block = across * columns_of_warp;
constexpr int blocks_at_once = 4;  ///< of a multiprocessor
/// Panels that are read or on their way.
constexpr int stages = 3;

/// Where a thread's numbers lie in what its warp multiplies.
struct Lane {
    int group, in_group;
    __device__ Lane()
        : group(static_cast<int>(threadIdx.x) % 32 / 4),
          in_group(static_cast<int>(threadIdx.x) % 4) {}
};

/// Part of an operand in shared memory, `outer` by `depth`, in the order that it has outside; lines
/// are so long that threads meet in no bank.
template <int outer, bool inner_is_contiguous>
struct Panel {
    static constexpr int lines = inner_is_contiguous ? outer : depth;
    static constexpr int of_line = inner_is_contiguous ? depth : outer;
    static constexpr int line = of_line + (inner_is_contiguous ? 4 : 8);
    static constexpr int at_once = numbers_at_once;

    alignas(16) float numbers[lines * line];

    /// Begins to copy what lies from (outer_begin, inner_begin) on; zeros beyond the ends.
    __device__ void copy(const BatchOperand& from, int outer_begin, int outer_end, int inner_begin,
                         int inner_end) {
        constexpr int packs = of_line / at_once, all = lines * packs;
        static_assert(all % threads == 0);
#pragma unroll
        for (int first = 0; first < all; first += threads) {
            const int i = first + static_cast<int>(threadIdx.x);
            const int l = i / packs, in_line = i % packs * at_once;
            const int o = outer_begin + (inner_is_contiguous ? l : in_line);
            const int k = inner_begin + (inner_is_contiguous ? in_line : l);
            const bool there = o < outer_end && k < inner_end;
            const std::int64_t place = inner_is_contiguous ? o * from.line + k : k * from.line + o;
            constexpr std::size_t bytes = at_once * sizeof(float);
            __pipeline_memcpy_async(numbers + l * line + in_line, from.first + (there ? place : 0),
                                    bytes, there ? 0 : bytes);
        }
    }
    [[nodiscard]] __device__ float at(int o, int k) const {
        return numbers[inner_is_contiguous ? o * line + k : k * line + o];
    }
};

/// A thread's numbers of a factor, as tensor cores take them.
template <int count>
struct Split {
    std::uint32_t high[count], low[count];

    __device__ void set(int i, float number) {
        constexpr std::uint32_t bits_of_tf32 = 0xFFFFE000U;
        high[i] = __float_as_uint(number) & bits_of_tf32;
        low[i] = __float_as_uint(number - __uint_as_float(high[i])) & bits_of_tf32;
    }
};

struct Sums {
    float of[4] = {};
};

__device__ void multiply_and_add(const std::uint32_t (&a)[4], const std::uint32_t (&b)[2],
                                 Sums& sums) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sums.of[0]), "+f"(sums.of[1]), "+f"(sums.of[2]), "+f"(sums.of[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

template <bool left_is_inner, bool right_is_inner>
struct Program {
    struct Stage {
        Panel<rows_of_block, left_is_inner> left;
        Panel<columns_of_block, right_is_inner> right;
    };
    struct Shared {
        Stage of[stages];
    };
    using WarpSums = Sums[down_of_warp][across_of_warp];

    BatchOperand left, right;
    ProductSizes sizes;
    float* result;

    __device__ void operator()(Shared& shared) {
        const int warp = static_cast<int>(threadIdx.x) / 32;
        const int row = static_cast<int>(blockIdx.y) * rows_of_block;
        const int column = static_cast<int>(blockIdx.x) * columns_of_block;
        const int warp_row = warp / across * rows_of_warp;
        const int warp_column = warp % across * columns_of_warp;
        left.first += blockIdx.z * left.matrix;
        right.first += blockIdx.z * right.matrix;
        result += blockIdx.z * (std::int64_t{sizes.rows} * sizes.columns);
        const int panels = (sizes.inner + depth - 1) / depth;
        // An empty group of copies stands for each panel that there is not.
        const auto copy = [&](int panel) {
            if (panel < panels) {
                Stage& to = shared.of[panel % stages];
                const int inner = panel * depth;
                to.left.copy(left, row, sizes.rows, inner, sizes.inner);
                to.right.copy(right, column, sizes.columns, inner, sizes.inner);
            }
            __pipeline_commit();
        };
        WarpSums sums;
        for (int panel = 0; panel + 1 < stages; ++panel) copy(panel);
        for (int panel = 0; panel < panels; ++panel) {
            __pipeline_wait_prior(stages - 2);
            __syncthreads();
            copy(panel + stages - 1);
            add_products(shared.of[panel % stages], warp_row, warp_column, sums);
        }
        write(sums, row + warp_row, column + warp_column);
    }

private:
    __device__ static void add_products(const Stage& stage, int row, int column, WarpSums& sums) {
        const Lane lane;
#pragma unroll
        for (int inner = 0; inner < depth; inner += side_inner) {
            Split<2> right[across_of_warp];
#pragma unroll
            for (int j = 0; j < across_of_warp; ++j) {
                const int n = column + j * side_across + lane.group;
                right[j].set(0, stage.right.at(n, inner + lane.in_group));
                right[j].set(1, stage.right.at(n, inner + lane.in_group + 4));
            }
#pragma unroll
            for (int i = 0; i < down_of_warp; ++i) {
                const int m = row + i * side_down + lane.group, k = inner + lane.in_group;
                Split<4> left;
                left.set(0, stage.left.at(m, k));
                left.set(1, stage.left.at(m + 8, k));
                left.set(2, stage.left.at(m, k + 4));
                left.set(3, stage.left.at(m + 8, k + 4));
                add_rows(left, right, sums[i]);
            }
        }
    }

    __device__ static void add_rows(const Split<4>& left, const Split<2> (&right)[across_of_warp],
                                    Sums (&sums)[across_of_warp]) {
        Sums some[across_of_warp];
#pragma unroll
        for (int j = 0; j < across_of_warp; ++j) multiply_and_add(left.low, right[j].high, some[j]);
#pragma unroll
        for (int j = 0; j < across_of_warp; ++j) multiply_and_add(left.high, right[j].low, some[j]);
#pragma unroll
        for (int j = 0; j < across_of_warp; ++j)
            multiply_and_add(left.high, right[j].high, some[j]);
#pragma unroll
        for (int j = 0; j < across_of_warp; ++j)
#pragma unroll
            for (int e = 0; e < 4; ++e) sums[j].of[e] += some[j].of[e];
    }

    /// Pairs of columns; what is beyond the ends is not written.
    __device__ void write(const WarpSums& sums, int row, int column) const {
        const Lane lane;
#pragma unroll
        for (int i = 0; i < down_of_warp; ++i)
#pragma unroll
            for (int j = 0; j < across_of_warp; ++j)
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    const int y = row + i * side_down + lane.group + 8 * half;
                    const int x = column + j * side_across + 2 * lane.in_group;
                    if (y < sizes.rows && x < sizes.columns)
                        *reinterpret_cast<float2*>(result + std::int64_t{y} * sizes.columns + x) = {
                            sums[i][j].of[2 * half], sums[i][j].of[2 * half + 1]};
                }
    }
};

template <bool left_is_inner, bool right_is_inner>
__global__ void __launch_bounds__(threads, blocks_at_once)
    run_products(Program<left_is_inner, right_is_inner> program) {
    __shared__ typename Program<left_is_inner, right_is_inner>::Shared shared;
    program(shared);
}

/// Calls `with(true)` or `with(false)`, of constants.
template <class With>
void with_constant(bool value, const With& with) {
    if (value) return with(std::true_type());
    with(std::false_type());
}

dim3 blocks_for(const ProductSizes& sizes) {
    const auto cut = [](int n, int into) { return static_cast<unsigned>((n + into - 1) / into); };
    return {cut(sizes.columns, columns_of_block), cut(sizes.rows, rows_of_block),
            static_cast<unsigned>(sizes.matrices)};
}

}  // namespace

void launch_products(const BatchOperand& left, const BatchOperand& right, const ProductSizes& sizes,
                     float* result, CUstream_st* stream) {
    with_constant(left.inner_is_contiguous, [&](auto left_is_inner) {
        with_constant(right.inner_is_contiguous, [&](auto right_is_inner) {
            using Products =
                Program<decltype(left_is_inner)::value, decltype(right_is_inner)::value>;
            run_products<<<blocks_for(sizes), threads, 0, stream>>>(
                Products{left, right, sizes, result});
        });
    });
    require_launched();
}

}  // namespace civitas::gpu
