#pragma once
/// The passes of civitas/gpu/winograd.hpp on a machine: `launch(count, step)` of it calls step(0)
/// to step(count - 1), `multiply(a, b)` gives the products of two batches of matrices.
#include "winograd_steps.hpp"

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

/// (points, patches, groups, channels), or with groups before patches.
inline PointStrides rows_of(const PatchCounts& patches, int groups, int channels) {
    const std::int64_t row = std::int64_t{groups} * channels;
    return {patches.all() * row, row, channels};
}
inline PointStrides groups_of_rows(std::int64_t rows, int groups, int channels) {
    return {groups * rows * channels, channels, rows * channels};
}

inline at::Tensor room(at::IntArrayRef sizes, const at::Tensor& like) {
    return at::empty(sizes, like.options().memory_format(at::MemoryFormat::Contiguous));
}

inline at::Tensor images_like(const at::Tensor& images, std::int64_t channels, std::int64_t height,
                              std::int64_t width) {
    return at::empty({images.size(0), channels, height, width}, images.options(),
                     at::MemoryFormat::ChannelsLast);
}

template <int m, class Machine>
at::Tensor mapped_weights(const at::Tensor& weight, bool flipped, bool by_phase,
                          const Machine& on) {
    const WeightSizes sizes = weight_sizes_of(weight);
    const auto strides = by_phase ? groups_of_rows(sizes.small, phases, sizes.big)
                                  : rows_of({sizes.small, 1, 1}, phases, sizes.big);
    at::Tensor points = room({points_of<m> * sizes.squares()}, weight);
    on.launch(sizes.squares(), MappedWeights<m>{sizes, flipped, data_of<const float>(weight),
                                                data_of<float>(points), strides});
    return points;
}

template <class Map, class Machine>
at::Tensor mapped_patches(const CutImages<const float>& from, const PointStrides& strides,
                          const at::Tensor& like, const Machine& on) {
    at::Tensor points = room({points_of<Map::size> * from.squares()}, like);
    on.launch(from.squares(), MappedPatches<Map>{from, data_of<float>(points), strides});
    return points;
}

/// The patches of `down`, as rows of all phases' channels.
template <int m, class Machine>
at::Tensor mapped_phases(const at::Tensor& big, const PatchCounts& patches, const Machine& on) {
    const auto from = phases_of<const float>(big, patches, -1, 0);
    return mapped_patches<OfData<m>>(from, rows_of(patches, phases, from.channels), big, on)
        .view({points_of<m>, patches.all(), -1});
}

template <class Machine>
at::Tensor down(const at::Tensor& big, const at::Tensor& weight, const Machine& on) {
    const WeightSizes channels = weight_sizes_of(weight);
    at::Tensor small = images_like(big, channels.small, big.size(2) / 2, big.size(3) / 2);
    with_size_of_patches(sizes_of(small), [&]<int m>(std::integral_constant<int, m>) {
        const PatchCounts patches = cut(sizes_of(small), m);
        const at::Tensor rows = mapped_phases<m>(big, patches, on);
        const at::Tensor weights =
            mapped_weights<m>(weight, false, false, on).view({points_of<m>, channels.small, -1});
        const at::Tensor products = on.multiply(rows, weights.transpose(1, 2));
        const auto to = pixels_of<float>(small, patches);
        on.launch(to.squares(), ResultPixels<m>{data_of<const float>(products),
                                                rows_of(patches, 1, channels.small), to});
    });
    return small;
}

template <int m, class Machine>
void up_shared(const at::Tensor& small, const at::Tensor& weight, const at::Tensor& big,
               const Machine& on) {
    const WeightSizes channels = weight_sizes_of(weight);
    const PatchCounts patches = cut(sizes_of(small), m, 1);
    const at::Tensor rows =
        mapped_patches<OfData<m>>(sources_of_up<const float>(small, patches, true),
                                  rows_of(patches, 1, channels.small), small, on)
            .view({points_of<m>, patches.all(), channels.small});
    const at::Tensor weights =
        mapped_weights<m>(weight, true, false, on).view({points_of<m>, channels.small, -1});
    const at::Tensor products = on.multiply(rows, weights);
    const auto to = phases_of<float>(big, patches, -1, 0);
    on.launch(to.squares(), ResultPixels<m>{data_of<const float>(products),
                                            rows_of(patches, phases, channels.big), to});
}

template <int m, class Machine>
void up_by_phase(const at::Tensor& small, const at::Tensor& weight, const at::Tensor& big,
                 const Machine& on) {
    const WeightSizes channels = weight_sizes_of(weight);
    const PatchCounts patches = cut(sizes_of(small), m);
    const int batch = points_of<m> * phases;
    const at::Tensor rows =
        mapped_patches<OfData<m>>(sources_of_up<const float>(small, patches, false),
                                  groups_of_rows(patches.all(), phases, channels.small), small, on)
            .view({batch, patches.all(), channels.small});
    const at::Tensor weights =
        mapped_weights<m>(weight, true, true, on).view({batch, channels.small, channels.big});
    const at::Tensor products = on.multiply(rows, weights);
    const auto to = phases_of<float>(big, patches, 1, 0);
    on.launch(to.squares(),
              ResultPixels<m>{data_of<const float>(products),
                              groups_of_rows(patches.all(), phases, channels.big), to});
}

template <class Machine>
at::Tensor up(const at::Tensor& small, const at::Tensor& weight, const Machine& on) {
    const WeightSizes channels = weight_sizes_of(weight);
    at::Tensor big = images_like(small, channels.big, 2 * small.size(2), 2 * small.size(3));
    const BatchSizes sizes = sizes_of(small);
    with_size_of_patches(sizes, [&]<int m>(std::integral_constant<int, m>) {
        // One set of patches has a row and a column more, four sets are mapped four times.
        const bool shared = 5 * cut(sizes, m, 1).all() <= 6 * cut(sizes, m).all();
        if (shared) return up_shared<m>(small, weight, big, on);
        up_by_phase<m>(small, weight, big, on);
    });
    return big;
}

/// Into how many sums the products over all patches are cut, so that there are some for each of a
/// GPU's multiprocessors.
inline std::int64_t sums_over_patches(std::int64_t patches, const WeightSizes& channels,
                                      std::int64_t points) {
    constexpr std::int64_t side = 64, enough = 256, fewest_patches = 256;
    const auto tiles = [&](std::int64_t n) { return (n + side - 1) / side; };
    const std::int64_t all = points * tiles(channels.small) * tiles(phases * channels.big);
    std::int64_t sums = 1;
    while (all * sums < enough && patches % (2 * sums) == 0 &&
           patches / (2 * sums) >= fewest_patches)
        sums *= 2;
    return sums;
}

template <class Machine>
void weight_gradient(const at::Tensor& big, const at::Tensor& small, const at::Tensor& leaf,
                     const Machine& on) {
    const WeightSizes channels = weight_sizes_of(leaf);
    with_size_of_patches(sizes_of(small), [&]<int m>(std::integral_constant<int, m>) {
        const PatchCounts patches = cut(sizes_of(small), m);
        const std::int64_t sums = sums_over_patches(patches.all(), channels, points_of<m>);
        const auto by_sum = [&](const at::Tensor& points) {
            return points.view({points_of<m> * sums, patches.all() / sums, -1});
        };
        const at::Tensor rows = by_sum(mapped_phases<m>(big, patches, on));
        const at::Tensor errors =
            by_sum(mapped_patches<OfErrors<m>>(pixels_of<const float>(small, patches),
                                               rows_of(patches, 1, channels.small), small, on));
        at::Tensor products = on.multiply(errors.transpose(1, 2), rows);
        if (sums > 1) products = at::sum(products.view({points_of<m>, sums, -1}), 1);
        on.launch(channels.squares(), GradientOfWeights<m>{channels, data_of<const float>(products),
                                                           data_of<float>(leaf)});
    });
}

}  // namespace civitas::gpu::winograd
