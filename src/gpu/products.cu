#include "products.hpp"

#include "launch_each.cuh"

#include <cuda_pipeline.h>
#include <mma.h>

namespace civitas::gpu {
namespace {

namespace wmma = nvcuda::wmma;

/// Sides of the matrices that a warp multiplies at once.
constexpr int side = 16, inner_side = 8;
/// Numbers of the inner dimension that are in shared memory at once.
constexpr int depth = 16;

/// What a block of threads computes: down * down_of_warp * side rows, likewise columns.
template <int down_, int across_, int down_of_warp_, int across_of_warp_>
struct Tile {
    static constexpr int down = down_, across = across_;  ///< warps
    static constexpr int down_of_warp = down_of_warp_, across_of_warp = across_of_warp_;
    static constexpr int rows = down * down_of_warp * side;
    static constexpr int columns = across * across_of_warp * side;
    static constexpr int threads = 32 * down * across;
};
using Large = Tile<2, 4, 4, 2>;
using Small = Tile<2, 2, 2, 2>;

/// A part of an operand in shared memory, `outer` by `depth`, in the order that it has outside;
/// lines are so long that threads meet in no bank.
template <int outer, bool inner_is_contiguous>
struct Panel {
    static constexpr int lines = inner_is_contiguous ? outer : depth;
    static constexpr int of_line = inner_is_contiguous ? depth : outer;
    static constexpr int line = of_line + (inner_is_contiguous ? 4 : 8);
    static constexpr int at_once = numbers_at_once;

    alignas(32) float numbers[lines * line];

    /// Begins to copy what lies from (outer_begin, inner_begin) on; zeros beyond the ends.
    __device__ void copy(const BatchOperand& from, int outer_begin, int outer_end, int inner_begin,
                         int inner_end, int thread, int threads) {
        for (int i = thread; i < lines * (of_line / at_once); i += threads) {
            const int l = i / (of_line / at_once), in_line = i % (of_line / at_once) * at_once;
            const int o = outer_begin + (inner_is_contiguous ? l : in_line);
            const int k = inner_begin + (inner_is_contiguous ? in_line : l);
            const bool there = o < outer_end && k < inner_end;
            const std::int64_t place = inner_is_contiguous ? o * from.line + k : k * from.line + o;
            constexpr std::size_t bytes = at_once * sizeof(float);
            __pipeline_memcpy_async(numbers + l * line + in_line, from.first + (there ? place : 0),
                                    bytes, there ? 0 : bytes);
        }
    }
    [[nodiscard]] __device__ const float* at(int outer_begin, int inner_begin) const {
        return numbers + (inner_is_contiguous ? outer_begin * line + inner_begin
                                              : inner_begin * line + outer_begin);
    }
};

template <class Use, class Layout>
using Numbers = wmma::fragment<Use, side, side, inner_side, wmma::precision::tf32, Layout>;
using Sums = wmma::fragment<wmma::accumulator, side, side, inner_side, float>;

template <class Fragment>
struct Split {
    Fragment high, low;

    __device__ void load(const float* from, int line) {
        wmma::load_matrix_sync(low, from, line);
#pragma unroll
        for (int i = 0; i < low.num_elements; ++i) {
            const float whole = low.x[i];
            high.x[i] = __uint_as_float(__float_as_uint(whole) & 0xFFFFE000U);
            low.x[i] = wmma::__float_to_tf32(whole - high.x[i]);
        }
    }
};

/// Layouts of a left and a right operand.
template <bool inner_is_contiguous>
using LeftLayout = std::conditional_t<inner_is_contiguous, wmma::row_major, wmma::col_major>;
template <bool inner_is_contiguous>
using RightLayout = std::conditional_t<inner_is_contiguous, wmma::col_major, wmma::row_major>;

template <class T, bool left_is_inner, bool right_is_inner>
struct Program {
    using LeftPanel = Panel<T::rows, left_is_inner>;
    using RightPanel = Panel<T::columns, right_is_inner>;
    using Left = Split<Numbers<wmma::matrix_a, LeftLayout<left_is_inner>>>;
    using Right = Split<Numbers<wmma::matrix_b, RightLayout<right_is_inner>>>;
    struct Stage {
        LeftPanel left;
        RightPanel right;
    };
    static constexpr int stages = 2;
    static constexpr int result_line = side + 4;
    union Shared {
        Stage stages[Program::stages];
        alignas(32) float results[T::down * T::across][side * result_line];
    };

    BatchOperand left, right;
    ProductSizes sizes;
    float* result;

    __device__ void operator()(Shared& shared) {
        const int thread = static_cast<int>(threadIdx.x), warp = thread / 32;
        const int row = static_cast<int>(blockIdx.y) * T::rows;
        const int column = static_cast<int>(blockIdx.x) * T::columns;
        left.first += blockIdx.z * left.matrix;
        right.first += blockIdx.z * right.matrix;
        result += blockIdx.z * (std::int64_t{sizes.rows} * sizes.columns);
        const auto copy = [&](int inner, int stage) {
            Stage& to = shared.stages[stage];
            to.left.copy(left, row, sizes.rows, inner, sizes.inner, thread, T::threads);
            to.right.copy(right, column, sizes.columns, inner, sizes.inner, thread, T::threads);
            __pipeline_commit();
        };
        const int warp_row = warp / T::across * T::down_of_warp * side;
        const int warp_column = warp % T::across * T::across_of_warp * side;
        Sums sums[T::down_of_warp][T::across_of_warp];
#pragma unroll
        for (auto& of_row : sums)
#pragma unroll
            for (Sums& s : of_row) wmma::fill_fragment(s, 0.0F);

        copy(0, 0);
        for (int inner = 0, stage = 0; inner < sizes.inner; inner += depth, stage ^= 1) {
            if (inner + depth < sizes.inner) {
                copy(inner + depth, stage ^ 1);
                __pipeline_wait_prior(1);
            } else {
                __pipeline_wait_prior(0);
            }
            __syncthreads();
            multiply(shared.stages[stage], warp_row, warp_column, sums);
            __syncthreads();
        }
#pragma unroll
        for (int i = 0; i < T::down_of_warp; ++i)
#pragma unroll
            for (int j = 0; j < T::across_of_warp; ++j)
                write(sums[i][j], row + warp_row + i * side, column + warp_column + j * side,
                      shared.results[warp]);
    }

private:
    __device__ static void multiply(const Stage& stage, int row, int column,
                                    Sums (&sums)[T::down_of_warp][T::across_of_warp]) {
#pragma unroll
        for (int inner = 0; inner < depth; inner += inner_side) {
            Right right[T::across_of_warp];
#pragma unroll
            for (int j = 0; j < T::across_of_warp; ++j)
                right[j].load(stage.right.at(column + j * side, inner), RightPanel::line);
#pragma unroll
            for (int i = 0; i < T::down_of_warp; ++i) {
                Left left;
                left.load(stage.left.at(row + i * side, inner), LeftPanel::line);
                Sums some[T::across_of_warp];
#pragma unroll
                for (int j = 0; j < T::across_of_warp; ++j) {
                    wmma::fill_fragment(some[j], 0.0F);
                    wmma::mma_sync(some[j], left.low, right[j].high, some[j]);
                }
#pragma unroll
                for (int j = 0; j < T::across_of_warp; ++j)
                    wmma::mma_sync(some[j], left.high, right[j].low, some[j]);
#pragma unroll
                for (int j = 0; j < T::across_of_warp; ++j) {
                    wmma::mma_sync(some[j], left.high, right[j].high, some[j]);
#pragma unroll
                    for (int e = 0; e < some[j].num_elements; ++e) sums[i][j].x[e] += some[j].x[e];
                }
            }
        }
    }

    /// Through shared memory of the warp: what is beyond the ends is not written.
    __device__ void write(const Sums& sums, int row, int column, float* room) const {
        wmma::store_matrix_sync(room, sums, result_line, wmma::mem_row_major);
        __syncwarp();
        const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
        for (int i = lane; i < side * (side / numbers_at_once); i += 32) {
            const int y = i / (side / numbers_at_once);
            const int x = i % (side / numbers_at_once) * numbers_at_once;
            if (row + y < sizes.rows && column + x < sizes.columns)
                *reinterpret_cast<float4*>(result + std::int64_t{row + y} * sizes.columns + column +
                                           x) =
                    *reinterpret_cast<const float4*>(room + y * result_line + x);
        }
        __syncwarp();
    }
};

template <class T, bool left_is_inner, bool right_is_inner>
__global__ void __launch_bounds__(T::threads, 512 / T::threads)
    run_products(Program<T, left_is_inner, right_is_inner> program) {
    __shared__ typename Program<T, left_is_inner, right_is_inner>::Shared shared;
    program(shared);
}

template <class T>
dim3 tiles(const ProductSizes& sizes) {
    const auto cut = [](int n, int into) { return static_cast<unsigned>((n + into - 1) / into); };
    return {cut(sizes.columns, T::columns), cut(sizes.rows, T::rows),
            static_cast<unsigned>(sizes.matrices)};
}

/// Calls `with(true)` or `with(false)`, of constants.
template <class With>
void with_constant(bool value, const With& with) {
    if (value) return with(std::true_type());
    with(std::false_type());
}

template <class T>
void launch_tiles(const BatchOperand& left, const BatchOperand& right, const ProductSizes& sizes,
                  float* result, cudaStream_t stream) {
    with_constant(left.inner_is_contiguous, [&](auto left_is_inner) {
        with_constant(right.inner_is_contiguous, [&](auto right_is_inner) {
            constexpr bool of_left = decltype(left_is_inner)::value;
            constexpr bool of_right = decltype(right_is_inner)::value;
            run_products<T><<<tiles<T>(sizes), T::threads, 0, stream>>>(
                Program<T, of_left, of_right>{left, right, sizes, result});
        });
    });
    require_launched();
}

}  // namespace

void launch_products(const BatchOperand& left, const BatchOperand& right, const ProductSizes& sizes,
                     float* result, CUstream_st* stream) {
    // Enough for all multiprocessors of large GPUs. Bits are those of either.
    constexpr std::int64_t enough = 132;
    const dim3 large = tiles<Large>(sizes);
    if (std::int64_t{large.x} * large.y * large.z >= enough && sizes.rows > Small::rows)
        return launch_tiles<Large>(left, right, sizes, result, stream);
    launch_tiles<Small>(left, right, sizes, result, stream);
}

}  // namespace civitas::gpu
