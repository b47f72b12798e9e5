#pragma once
/// The passes of civitas/gpu/winograd.hpp on a machine: `launch(count, step)` of it calls step(0)
/// to step(count - 1), `multiply(a, b)` gives the products of two batches of matrices, in parts as
/// multiply.hpp has them.
#include "products.hpp"
#include "winograd_steps.hpp"

#include "civitas/base/error.hpp"

#include <ATen/ops/empty.h>
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
               images.is_contiguous(at::MemoryFormat::ChannelsLast),
           "images are fp32 and channels-last");
    if (images.numel() > std::numeric_limits<std::int32_t>::max())
        throw Error("kernels of ours count 2^31 numbers of a layer's images on a GPU",
                    Hint{"a smaller --micro-batch, or --kernels aten"});
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

/// An image of numbers; `grid` cuts it into patches.
template <class T>
CutImages<T> cut_of(const at::Tensor& image, const Grid& grid, const PatchCounts& patches) {
    const BatchSizes sizes = sizes_of(image);
    return {data_of<T>(image), sizes.height, sizes.width, sizes.channels, grid, patches};
}

/// The phases of a big image. Their patches begin where a small pixel's do, or all together where
/// the even ones begin one row and column earlier.
constexpr Grid phases_apart{.even = 1, .odd = 0, .step = 2, .groups = phases};
constexpr Grid phases_together{.even = -1, .odd = 0, .step = 2, .groups = phases};
/// The pixels of the small image, and those that `up` maps: for each phase, or once for all.
constexpr Grid pixels{};
constexpr Grid pixels_by_phase{.even = 0, .odd = -1, .step = 1, .groups = phases};
constexpr Grid pixels_for_all{.even = -1, .odd = -1, .step = 1, .groups = 1};

/// Whether channels can be taken two by two.
template <class T>
bool are_pairs(const CutImages<T>& images) {
    return images.channels % 2 == 0 &&
           reinterpret_cast<std::uintptr_t>(images.first) % sizeof(Two) == 0;
}
template <class Pair, class T>
CutImages<Pair> in_pairs(const CutImages<T>& images) {
    return {reinterpret_cast<Pair*>(images.first),
            images.height,
            images.width,
            images.channels / 2,
            images.grid,
            images.patches};
}
inline PointStrides in_pairs(const PointStrides& s) {
    return {s.point / 2, s.patch / 2, s.group / 2};
}

/// (points, patches, groups, channels), or with groups before patches.
inline PointStrides rows_of(const PatchCounts& patches, int groups, int channels) {
    const std::int64_t row = std::int64_t{groups} * channels;
    return {patches.all() * row, row, channels};
}
inline PointStrides groups_of_rows(std::int64_t rows, int groups, int channels) {
    return {groups * rows * channels, channels, rows * channels};
}

inline at::Tensor uninitialised(at::IntArrayRef sizes, const at::Tensor& like) {
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
    at::Tensor points = uninitialised({points_of<m> * sizes.squares()}, weight);
    on.launch(sizes.squares(), MappedWeights<m>{sizes, flipped, data_of<const float>(weight),
                                                data_of<float>(points), strides});
    return points;
}

template <class Map, class Machine>
at::Tensor mapped_patches(const CutImages<const float>& from, const PointStrides& strides,
                          const at::Tensor& like, const Machine& on) {
    const at::Tensor points = uninitialised({points_of<Map::size> * from.squares()}, like);
    auto* const to = data_of<float>(points);
    if (are_pairs(from)) {
        const auto pairs = in_pairs<const Two>(from);
        on.launch(pairs.squares(),
                  MappedPatches<Map, Two>{pairs, reinterpret_cast<Two*>(to), in_pairs(strides)});
    } else {
        on.launch(from.squares(), MappedPatches<Map, float>{from, to, strides});
    }
    return points;
}

/// What `multiply` gave, whose points are `point` numbers apart.
inline PartialProducts<float> products_of(const at::Tensor& products, std::int64_t point) {
    return {data_of<const float>(products), static_cast<int>(products.size(0)), products.stride(0),
            point};
}
inline PartialProducts<Two> in_pairs(const PartialProducts<float>& products) {
    return {reinterpret_cast<const Two*>(products.first), products.parts, products.part / 2,
            products.point / 2};
}

template <int m, class Machine>
void write_results(const at::Tensor& products, const PointStrides& strides,
                   const CutImages<float>& to, const Machine& on) {
    const PartialProducts<float> from = products_of(products, strides.point);
    if (are_pairs(to)) {
        const auto pairs = in_pairs<Two>(to);
        on.launch(pairs.squares(), ResultPixels<m, Two>{in_pairs(from), in_pairs(strides), pairs});
    } else {
        on.launch(to.squares(), ResultPixels<m, float>{from, strides, to});
    }
}

/// The patches of `down`, as rows of all phases' channels.
template <int m, class Machine>
at::Tensor mapped_phases(const at::Tensor& big, const PatchCounts& patches, const Machine& on) {
    const auto from = cut_of<const float>(big, phases_together, patches);
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
        write_results<m>(products, rows_of(patches, 1, channels.small),
                         cut_of<float>(small, pixels, patches), on);
    });
    return small;
}

/// Patches of the small image are mapped once, `shared` by all phases, or for each of these.
template <int m, class Machine>
void up_in_patches(const at::Tensor& small, const at::Tensor& weight, const at::Tensor& big,
                   bool shared, const Machine& on) {
    const WeightSizes channels = weight_sizes_of(weight);
    const PatchCounts patches = cut(sizes_of(small), m, shared ? 1 : 0);
    const int matrices = points_of<m> * (shared ? 1 : phases);
    const auto strides = [&](int groups, int of_group) {
        return shared ? rows_of(patches, groups, of_group)
                      : groups_of_rows(patches.all(), phases, of_group);
    };
    const Grid& from = shared ? pixels_for_all : pixels_by_phase;
    const at::Tensor rows = mapped_patches<OfData<m>>(cut_of<const float>(small, from, patches),
                                                      strides(1, channels.small), small, on)
                                .view({matrices, patches.all(), channels.small});
    const at::Tensor weights =
        mapped_weights<m>(weight, true, !shared, on).view({matrices, channels.small, -1});
    const at::Tensor products = on.multiply(rows, weights);
    const Grid& to = shared ? phases_together : phases_apart;
    write_results<m>(products, strides(phases, channels.big), cut_of<float>(big, to, patches), on);
}

template <class Machine>
at::Tensor up(const at::Tensor& small, const at::Tensor& weight, const Machine& on) {
    const WeightSizes channels = weight_sizes_of(weight);
    at::Tensor big = images_like(small, channels.big, 2 * small.size(2), 2 * small.size(3));
    const BatchSizes sizes = sizes_of(small);
    with_size_of_patches(sizes, [&]<int m>(std::integral_constant<int, m>) {
        // One set of patches has a row and a column more, four sets are mapped four times, and have
        // products of no more columns than a phase has channels.
        const bool shared = channels.big % numbers_at_once != 0 ||
                            5 * cut(sizes, m, 1).all() <= 6 * cut(sizes, m).all();
        up_in_patches<m>(small, weight, big, shared, on);
    });
    return big;
}

template <class Machine>
void weight_gradient(const at::Tensor& big, const at::Tensor& small, const at::Tensor& leaf,
                     const Machine& on) {
    const WeightSizes channels = weight_sizes_of(leaf);
    with_size_of_patches(sizes_of(small), [&]<int m>(std::integral_constant<int, m>) {
        const PatchCounts patches = cut(sizes_of(small), m);
        const at::Tensor rows = mapped_phases<m>(big, patches, on);
        const at::Tensor errors =
            mapped_patches<OfErrors<m>>(cut_of<const float>(small, pixels, patches),
                                        rows_of(patches, 1, channels.small), small, on)
                .view({points_of<m>, patches.all(), channels.small});
        const at::Tensor products = on.multiply(errors.transpose(1, 2), rows);
        on.launch(channels.squares(),
                  GradientOfWeights<m>{channels, products_of(products, channels.squares()),
                                       data_of<float>(leaf)});
    });
}

}  // namespace civitas::gpu::winograd
