#include "civitas/kernels/thin.hpp"

#include "simd.hpp"
#include "thin_passes.hpp"
#include "thin_rows.hpp"

#include <ATen/ops/empty.h>
#include <algorithm>
#include <vector>

namespace civitas::kernels::thin {
namespace {

constexpr auto channels_last = at::MemoryFormat::ChannelsLast;

}  // namespace

bool supports(at::IntArrayRef weight, at::ScalarType type) {
    const bool thin =
        weight.size() == 4 && weight[1] <= most_channels && weight[2] == 4 && weight[3] == 4;
    return thin && multiplies_vectors_of(type) && (type == at::kFloat || weight[0] % 2 == 0);
}

at::Tensor up(const at::Tensor& small, const at::Tensor& weight) {
    ensure(supports(weight.sizes(), small.scalar_type()), "weights of a supported shape");
    ensure(small.size(1) == weight.size(0), "weights of the small image's channels");
    require_images(small, weight);
    require_images(weight, weight);
    at::Tensor big =
        at::empty({small.size(0), weight.size(1), 2 * small.size(2), 2 * small.size(3)},
                  small.options(), channels_last);
    with_type(small.scalar_type(), [&]<class T>(T) { passes<T>().up(small, weight, big); });
    return big;
}

void weight_gradient(const at::Tensor& big, const at::Tensor& small, const at::Tensor& leaf) {
    ensure(supports(leaf.sizes(), small.scalar_type()), "weights of a supported shape");
    require_images(small, big);
    require_images(big, small);
    require_leaf(leaf);
    ensure(big.size(2) == 2 * small.size(2) && big.size(3) == 2 * small.size(3) &&
               big.size(0) == small.size(0) && leaf.size(0) == small.size(1) &&
               leaf.size(1) == big.size(1),
           "a small image of half the sides, and a leaf of both images' channels");
    const Strips strips(small);
    const auto gradients = with_type(small.scalar_type(), [&]<class T>(T) {
        return passes<T>().gradients(big, small, strips, leaf.numel());
    });
    const std::vector<float> sums = sum_rows(gradients);
    std::copy(sums.begin(), sums.end(), leaf.mutable_data_ptr<float>());
}

}  // namespace civitas::kernels::thin
