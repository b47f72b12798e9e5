#pragma once
/// The passes of civitas/gpu/winograd.hpp on a machine: `launch(count, step)` of it calls step(0)
/// to step(count - 1), `multiply(a, b)` gives the products of two batches of matrices, of numbers
/// that are split where `splits` says so.
#include "winograd_matrices.hpp"

#include "civitas/base/error.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/sum.h>
#include <algorithm>
#include <limits>
#include <type_traits>

namespace civitas::gpu::winograd {

/// Rows and columns, and channels, of a batch.
struct BatchSizes {
    int images, channels, height, width;
};

inline BatchSizes sizes_of(const at::Tensor& images) {
    ensure(images.dim() == 4 && images.scalar_type() == at::kFloat &&
               images.is_contiguous(at::MemoryFormat::ChannelsLast) &&
               images.numel() <= std::numeric_limits<std::int32_t>::max(),
           "images are fp32 and channels-last");
    const auto size = [&](int dimension) { return static_cast<int>(images.size(dimension)); };
    return {size(0), size(1), size(2), size(3)};
}

inline WeightSizes weight_sizes_of(const at::Tensor& weight) {
    const BatchSizes sizes = sizes_of(weight);
    ensure(sizes.height == kernel && sizes.width == kernel, "kernels are 4x4");
    return {sizes.images, sizes.channels};
}

/// Patches of `small` or, with their origin one row and column earlier, of all phases of `big`.
inline PatchCounts cut(const BatchSizes& small, int m, int more = 0) {
    const auto patches = [&](int pixels) { return (pixels + more + m - 1) / m; };
    return {small.images, patches(small.height), patches(small.width)};
}

/// Calls f with the size of patches as a constant. Large ones take fewer products, small ones less
/// memory for mapped weights; which are taken does not depend on the batch.
template <class F>
auto with_size_of_patches(const BatchSizes& small, F f) {
    constexpr int least_for_large = 16;
    if (std::min(small.height, small.width) >= least_for_large)
        return f(std::integral_constant<int, 4>());
    return f(std::integral_constant<int, 2>());
}

template <class T>
T* data_of(const at::Tensor& tensor) {
    if constexpr (std::is_const_v<T>)
        return tensor.const_data_ptr<float>();
    else
        return tensor.mutable_data_ptr<float>();
}

/// The phases of a big image. Their patches begin where a small pixel's do, or with `shared` all
/// together, one row and column earlier for the even ones.
template <class T>
CutImages<T> phases_of(const at::Tensor& big, const PatchCounts& patches, int even, int odd) {
    const BatchSizes sizes = sizes_of(big);
    CutImages<T> cut{data_of<T>(big), sizes.height, sizes.width, sizes.channels,
                     phases,          {},           patches};
    for (int p = 0; p < phases; ++p)
        cut.grids[p] = {p / 2 == 0 ? even : odd, p % 2 == 0 ? even : odd, 2};
    return cut;
}

template <class T>
CutImages<T> pixels_of(const at::Tensor& small, const PatchCounts& patches) {
    const BatchSizes sizes = sizes_of(small);
    return {data_of<T>(small), sizes.height, sizes.width, sizes.channels, 1, {}, patches};
}

/// Which patches of the small image `up` maps: one set for all phases, or one for each.
template <class T>
CutImages<T> sources_of_up(const at::Tensor& small, const PatchCounts& patches, bool shared) {
    CutImages<T> cut = pixels_of<T>(small, patches);
    cut.groups = shared ? 1 : phases;
    for (int p = 0; p < cut.groups; ++p) cut.grids[p] = {-(p / 2), -(p % 2), 1};
    if (shared) cut.grids[0] = {-1, -1, 1};
    return cut;
}

inline at::Tensor images_like(const at::Tensor& images, std::int64_t channels, std::int64_t height,
                              std::int64_t width) {
    return at::empty({images.size(0), channels, height, width}, images.options(),
                     at::MemoryFormat::ChannelsLast);
}

template <int m, class Machine>
at::Tensor mapped_weights(const at::Tensor& weight, bool flipped, const MatrixShape& shape,
                          const Machine& on) {
    const WeightSizes sizes = weight_sizes_of(weight);
    const Matrices to(shape, points_of<m>, on.splits, weight);
    on.launch(sizes.squares(),
              MappedWeights<m>{sizes, flipped, data_of<const float>(weight), to.numbers()});
    return to.all();
}

template <class Map, class Machine>
at::Tensor mapped_patches(const CutImages<const float>& from, const MatrixShape& shape,
                          const at::Tensor& like, const Machine& on) {
    const Matrices to(shape, points_of<Map::size>, on.splits, like);
    on.launch(from.squares(), MappedPatches<Map>{from, to.numbers()});
    return to.all();
}

/// Where the products of a patch with `groups` groups of channels lie.
inline PointStrides products_in(const at::Tensor& products, int points, int blocks, int channels) {
    const std::int64_t matrix = products.size(1) * products.size(2);
    ensure(products.is_contiguous() && products.size(0) == points * blocks, "one for each point");
    return {blocks * matrix, products.size(2), blocks > 1 ? matrix : channels};
}

template <class Machine>
at::Tensor down(const at::Tensor& big, const at::Tensor& weight, const Machine& on) {
    const auto [small_channels, big_channels] = weight_sizes_of(weight);
    at::Tensor small = images_like(big, small_channels, big.size(2) / 2, big.size(3) / 2);
    with_size_of_patches(sizes_of(small), [&]<int m>(std::integral_constant<int, m>) {
        const PatchCounts patches = cut(sizes_of(small), m);
        const auto from = phases_of<const float>(big, patches, -1, 0);
        const at::Tensor rows = mapped_patches<OfData<m>>(
            from, {.rows = patches.all(), .groups = phases, .channels = big_channels}, big, on);
        const at::Tensor weights = mapped_weights<m>(weight, false,
                                                     {.rows = small_channels,
                                                      .groups = phases,
                                                      .channels = big_channels,
                                                      .factor = Factor::right},
                                                     on);
        const at::Tensor products = on.multiply(rows, weights.transpose(1, 2));
        const auto to = pixels_of<float>(small, patches);
        on.launch(to.squares(),
                  ResultPixels<m>{data_of<const float>(products),
                                  products_in(products, points_of<m>, 1, small_channels), to});
    });
    return small;
}

/// Patches of the small image are mapped once for all phases, or for each phase.
template <int m, class Machine>
void up_in_patches(const at::Tensor& small, const at::Tensor& weight, const at::Tensor& big,
                   bool shared, const Machine& on) {
    const auto [small_channels, big_channels] = weight_sizes_of(weight);
    const PatchCounts patches = cut(sizes_of(small), m, shared ? 1 : 0);
    const int blocks = shared ? 1 : phases;
    const at::Tensor rows = mapped_patches<OfData<m>>(
        sources_of_up<const float>(small, patches, shared),
        {.rows = patches.all(), .groups = 1, .channels = small_channels, .blocks = blocks}, small,
        on);
    const at::Tensor weights = mapped_weights<m>(weight, true,
                                                 {.rows = small_channels,
                                                  .groups = shared ? phases : 1,
                                                  .channels = big_channels,
                                                  .blocks = blocks,
                                                  .inner = Inner::rows,
                                                  .factor = Factor::right},
                                                 on);
    const at::Tensor products = on.multiply(rows, weights);
    const auto to = phases_of<float>(big, patches, shared ? -1 : 1, 0);
    on.launch(to.squares(),
              ResultPixels<m>{data_of<const float>(products),
                              products_in(products, points_of<m>, blocks, big_channels), to});
}

template <class Machine>
at::Tensor up(const at::Tensor& small, const at::Tensor& weight, const Machine& on) {
    const WeightSizes channels = weight_sizes_of(weight);
    at::Tensor big = images_like(small, channels.big, 2 * small.size(2), 2 * small.size(3));
    const BatchSizes sizes = sizes_of(small);
    with_size_of_patches(sizes, [&]<int m>(std::integral_constant<int, m>) {
        // One set of patches has a row and a column more, four sets are mapped four times.
        const bool shared = 5 * cut(sizes, m, 1).all() <= 6 * cut(sizes, m).all();
        up_in_patches<m>(small, weight, big, shared, on);
    });
    return big;
}

/// Into how many sums the products over so many rows are cut, so that there are some for each of a
/// GPU's multiprocessors.
inline std::int64_t sums_over_rows(std::int64_t rows, const WeightSizes& channels,
                                   std::int64_t points) {
    constexpr std::int64_t side = 64, enough = 256, fewest_rows = 256;
    const auto tiles = [&](std::int64_t n) { return (n + side - 1) / side; };
    const std::int64_t all = points * tiles(channels.small) * tiles(phases * channels.big);
    std::int64_t sums = 1;
    while (all * sums < enough && rows % (2 * sums) == 0 && rows / (2 * sums) >= fewest_rows)
        sums *= 2;
    return sums;
}

template <class Machine>
void weight_gradient(const at::Tensor& big, const at::Tensor& small, const at::Tensor& leaf,
                     const Machine& on) {
    const WeightSizes channels = weight_sizes_of(leaf);
    with_size_of_patches(sizes_of(small), [&]<int m>(std::integral_constant<int, m>) {
        const PatchCounts patches = cut(sizes_of(small), m);
        const at::Tensor errors = mapped_patches<OfErrors<m>>(
            pixels_of<const float>(small, patches),
            {.rows = patches.all(), .groups = 1, .channels = channels.small, .inner = Inner::rows},
            small, on);
        const at::Tensor rows =
            mapped_patches<OfData<m>>(phases_of<const float>(big, patches, -1, 0),
                                      {.rows = patches.all(),
                                       .groups = phases,
                                       .channels = channels.big,
                                       .inner = Inner::rows,
                                       .factor = Factor::right},
                                      big, on);
        const std::int64_t sums = sums_over_rows(rows.size(1), channels, points_of<m>);
        const auto by_sum = [&](const at::Tensor& all) {
            return all.view({points_of<m> * sums, all.size(1) / sums, all.size(2)});
        };
        at::Tensor products = on.multiply(by_sum(errors).transpose(1, 2), by_sum(rows));
        if (sums > 1) products = at::sum(products.view({points_of<m>, sums, -1}), 1);
        on.launch(channels.squares(), GradientOfWeights<m>{channels, data_of<const float>(products),
                                                           data_of<float>(leaf)});
    });
}

}  // namespace civitas::gpu::winograd
