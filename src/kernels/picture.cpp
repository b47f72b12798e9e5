#include "civitas/kernels/picture.hpp"

#include "image_strips.hpp"
#include "picture_passes.hpp"
#include "simd.hpp"

#include <ATen/ops/empty.h>
#include <algorithm>
#include <vector>

namespace civitas::kernels::picture {
namespace {

constexpr auto channels_last = at::MemoryFormat::ChannelsLast;

at::Tensor image_like(const at::Tensor& images, std::int64_t channels) {
    return at::empty({images.size(0), channels, images.size(2), images.size(3)}, images.options(),
                     channels_last);
}

}  // namespace

bool supports(at::IntArrayRef weight, at::ScalarType type) {
    return weight.size() == 4 && weight[0] <= most_channels && weight[1] % panel == 0 &&
           weight[2] == side && weight[3] == side && multiplies_vectors_of(type);
}

at::Tensor forward(const at::Tensor& x, const at::Tensor& weight) {
    ensure(supports(weight.sizes(), x.scalar_type()), "weights of a supported shape");
    require_images(x, weight);
    require_images(weight, weight);
    ensure(x.size(1) == weight.size(1), "the images have the channels that the weights read");
    at::Tensor y = image_like(x, weight.size(0));
    with_type(x.scalar_type(), [&]<class T>(T) { passes<T>().forward(x, weight, y); });
    return y;
}

at::Tensor backward_input(const at::Tensor& gy, const at::Tensor& weight) {
    ensure(supports(weight.sizes(), gy.scalar_type()), "weights of a supported shape");
    require_images(gy, weight);
    require_images(weight, weight);
    ensure(gy.size(1) == weight.size(0), "the gradient has the channels that the weights make");
    at::Tensor gx = image_like(gy, weight.size(1));
    with_type(gy.scalar_type(), [&]<class T>(T) { passes<T>().backward_input(gy, weight, gx); });
    return gx;
}

void backward_weights(const at::Tensor& gy, const at::Tensor& x, const at::Tensor& leaf) {
    ensure(supports(leaf.sizes(), x.scalar_type()), "weights of a supported shape");
    require_images(gy, x);
    require_images(x, x);
    require_leaf(leaf);
    ensure(gy.size(0) == x.size(0) && gy.size(2) == x.size(2) && gy.size(3) == x.size(3) &&
               leaf.size(0) == gy.size(1) && leaf.size(1) == x.size(1),
           "images of one size, and a leaf of both images' channels");
    const at::Tensor gradients = with_type(
        x.scalar_type(), [&]<class T>(T) { return passes<T>().gradients(gy, x, leaf.numel()); });
    const std::vector<float> sums = sum_rows(gradients);
    const std::int64_t picture = leaf.size(0), many = leaf.size(1);
    auto* to = leaf.mutable_data_ptr<float>();
    for (std::int64_t k = 0; k < picture; ++k)
        for (std::int64_t tap = 0; tap < taps; ++tap)
            for (std::int64_t c = 0; c < many; c += panel, to += panel) {
                const std::int64_t row = mirrored(tap) * picture + k;
                std::copy_n(sums.data() + c * taps * picture + row * panel, panel, to);
            }
}

}  // namespace civitas::kernels::picture
