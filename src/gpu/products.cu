#include "products.hpp"

#include "launch_each.cuh"
#include "product_panels.cuh"

namespace civitas::gpu {
namespace {

/// What a warp multiplies at once: 16 x 8 results of 8 products each (PTX's m16n8k8).
constexpr int side_down = 16, side_across = 8, side_inner = 8;
/// What a block of threads computes: `down` by `across` warps, each of which has results of as many
/// sides. Blocks are small, so that there are some for each multiprocessor; of few rows they are
/// flat.
template <int warps_down>
struct BlockShape {
    static constexpr int down = warps_down, across = 2, threads = 32 * down * across;
    static constexpr int rows = down * 32, columns = across * 32;
    static constexpr int at_once = 512 / threads;  ///< of a multiprocessor
    /// Blocks that keep a GPU of some 132 multiprocessors busy to the end, as measured.
    static constexpr std::int64_t enough = down == 1 ? 576 : 864;
};
using Square = BlockShape<2>;
using Flat = BlockShape<1>;
constexpr int down_of_warp = 2, across_of_warp = 4;
/// Panels that are read or on their way.
constexpr int stages = 3;

/// Where a thread's numbers lie in what its warp multiplies.
struct Lane {
    int group, in_group;
    __device__ Lane()
        : group(static_cast<int>(threadIdx.x) % 32 / 4),
          in_group(static_cast<int>(threadIdx.x) % 4) {}
};

/// A thread's numbers of a factor, as tensor cores take them.
template <int count>
struct Split {
    std::uint32_t high[count], low[count];

    __device__ void set(int i, float number) {
        constexpr std::uint32_t half = 0x1000U, bits_of_tf32 = 0xFFFFE000U;
        high[i] = (__float_as_uint(number) + half) & bits_of_tf32;
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

template <class Shape, bool left_is_inner, bool right_is_inner>
struct Program {
    using LeftCopier = Copier<Shape, Shape::rows, left_is_inner>;
    using RightCopier = Copier<Shape, Shape::columns, right_is_inner>;
    struct Stage {
        typename LeftCopier::To left;
        typename RightCopier::To right;
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
        const int row = static_cast<int>(blockIdx.y) * Shape::rows;
        const int column = static_cast<int>(blockIdx.x) * Shape::columns;
        const int warp_row = warp / Shape::across * down_of_warp * side_down;
        const int warp_column = warp % Shape::across * across_of_warp * side_across;
        const auto matrices = static_cast<unsigned>(sizes.matrices);
        left.first += blockIdx.z % matrices * left.matrix;
        right.first += blockIdx.z % matrices * right.matrix;
        result += blockIdx.z * (std::int64_t{sizes.rows} * sizes.columns);
        const std::int64_t part = blockIdx.z / matrices, all = panels_of(sizes.inner);
        const int begin = static_cast<int>(all * part / sizes.parts);
        const int panels = static_cast<int>(all * (part + 1) / sizes.parts) - begin;
        LeftCopier left_copier(left, row, sizes.rows, begin * depth, sizes.inner);
        RightCopier right_copier(right, column, sizes.columns, begin * depth, sizes.inner);
        // An empty group of copies stands for each panel that there is not.
        const auto copy = [&](int panel) {
            if (panel < panels) {
                Stage& to = shared.of[panel % stages];
                left_copier.copy(to.left);
                right_copier.copy(to.right);
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
    /// What a panel adds leaves the tensor cores at its end. A thread's numbers k and k + 4 of a
    /// product are neighbours here, in both factors alike.
    __device__ static void add_products(const Stage& stage, int row, int column, WarpSums& sums) {
        const Lane lane;
        WarpSums some;
#pragma unroll
        for (int inner = 0; inner < depth; inner += side_inner) {
            const int k = inner + 2 * lane.in_group;
            Split<2> right[across_of_warp];
#pragma unroll
            for (int j = 0; j < across_of_warp; ++j) {
                const float2 two = stage.right.pair(column + j * side_across + lane.group, k);
                right[j].set(0, two.x);
                right[j].set(1, two.y);
            }
#pragma unroll
            for (int i = 0; i < down_of_warp; ++i) {
                const int m = row + i * side_down + lane.group;
                const float2 upper = stage.left.pair(m, k), lower = stage.left.pair(m + 8, k);
                Split<4> left;
                left.set(0, upper.x);
                left.set(1, lower.x);
                left.set(2, upper.y);
                left.set(3, lower.y);
                multiply_rows(left, right, some[i]);
            }
        }
#pragma unroll
        for (int i = 0; i < down_of_warp; ++i)
#pragma unroll
            for (int j = 0; j < across_of_warp; ++j)
#pragma unroll
                for (int e = 0; e < 4; ++e) sums[i][j].of[e] += some[i][j].of[e];
    }

    __device__ static void multiply_rows(const Split<4>& left,
                                         const Split<2> (&right)[across_of_warp],
                                         Sums (&some)[across_of_warp]) {
#pragma unroll
        for (int j = 0; j < across_of_warp; ++j) multiply_and_add(left.low, right[j].high, some[j]);
#pragma unroll
        for (int j = 0; j < across_of_warp; ++j) multiply_and_add(left.high, right[j].low, some[j]);
#pragma unroll
        for (int j = 0; j < across_of_warp; ++j)
            multiply_and_add(left.high, right[j].high, some[j]);
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

template <class Shape, bool left_is_inner, bool right_is_inner>
__global__ void __launch_bounds__(Shape::threads, Shape::at_once)
    run_products(Program<Shape, left_is_inner, right_is_inner> program) {
    __shared__ typename Program<Shape, left_is_inner, right_is_inner>::Shared shared;
    program(shared);
}

/// Calls `with(true)` or `with(false)`, of constants.
template <class With>
void with_constant(bool value, const With& with) {
    if (value) return with(std::true_type());
    with(std::false_type());
}

/// Calls `with` with a value of the shape of blocks that such products take.
template <class With>
auto with_shape(const ProductSizes& sizes, const With& with) {
    return sizes.rows <= Flat::rows ? with(Flat()) : with(Square());
}

template <class Shape>
dim3 blocks_for(const ProductSizes& sizes) {
    const auto cut = [](int n, int into) { return static_cast<unsigned>((n + into - 1) / into); };
    return {cut(sizes.columns, Shape::columns), cut(sizes.rows, Shape::rows),
            static_cast<unsigned>(sizes.matrices * sizes.parts)};
}

void require_blocks(const dim3& blocks) {
    constexpr unsigned most = 65535;  // of a grid, but for its first dimension
    if (blocks.y > most || blocks.z > most)
        throw Error("images or channels are more than kernels of ours multiply at once",
                    Hint{"smaller micro-batches, or --kernels aten"});
}

}  // namespace

int parts_for(const ProductSizes& sizes) {
    constexpr std::int64_t fewest_panels = 16, most_parts = 8;
    return with_shape(sizes, [&](auto shape) {
        const dim3 blocks = blocks_for<decltype(shape)>(sizes);
        const std::int64_t all = std::int64_t{blocks.x} * blocks.y * blocks.z;
        const std::int64_t wanted = shape.enough / std::max<std::int64_t>(1, all);
        const std::int64_t most = std::min(most_parts, panels_of(sizes.inner) / fewest_panels);
        return static_cast<int>(
            std::clamp<std::int64_t>(wanted, 1, std::max<std::int64_t>(1, most)));
    });
}

void launch_products(const BatchOperand& left, const BatchOperand& right, const ProductSizes& sizes,
                     float* result, CUstream_st* stream) {
    with_shape(sizes, [&](auto shape) {
        using Shape = decltype(shape);
        const dim3 blocks = blocks_for<Shape>(sizes);
        require_blocks(blocks);
        with_constant(left.inner_is_contiguous, [&](auto left_is_inner) {
            with_constant(right.inner_is_contiguous, [&](auto right_is_inner) {
                using Products =
                    Program<Shape, decltype(left_is_inner)::value, decltype(right_is_inner)::value>;
                run_products<<<blocks, Shape::threads, 0, stream>>>(
                    Products{left, right, sizes, result});
            });
        });
    });
    require_launched();
}

}  // namespace civitas::gpu
