#include "civitas/strided/convolution.hpp"

#include "passes.hpp"
#include "simd.hpp"

#include "civitas/gpu/winograd.hpp"
#include "civitas/simd/instruction_set.hpp"

#include <ATen/ops/empty.h>

namespace civitas::strided {
namespace {

void require(const at::Tensor& tensor, at::ScalarType type) {
    ensure((tensor.is_cpu() || tensor.is_cuda()) && tensor.scalar_type() == type &&
               tensor.dim() == 4 && tensor.is_contiguous(at::MemoryFormat::ChannelsLast),
           "convolutions of stride 2 read channels-last images and weights of one type");
    ensure(tensor.size(1) > 0 && tensor.size(2) > 0 && tensor.size(3) > 0,
           "images and weights have pixels and channels");
}

void require_together(const at::Tensor& a, const at::Tensor& b) {
    ensure(a.device() == b.device(), "images and weights lie on one device");
}

Channels channels_of(const at::Tensor& weight) {
    require(weight, weight.scalar_type());
    ensure(weight.size(2) == kernel && weight.size(3) == kernel, "the kernel is 4 x 4");
    ensure(weight.size(0) > 0, "images and weights have pixels and channels");
    return {weight.size(0), weight.size(1)};
}

at::Tensor image_like(const at::Tensor& other, at::IntArrayRef sizes) {
    return at::empty(sizes, other.options(), at::MemoryFormat::ChannelsLast);
}

/// What computes on this processor.
template <class T>
Passes<T> passes() {
    if (simd::has_amx()) return {run_direct_down<T>, run_direct_up<T>, run_direct_gradient<T>};
    return winograd_passes<T>();
}

}  // namespace

bool supports(at::ScalarType type) { return multiplies_vectors_of(type); }

at::Tensor down(const at::Tensor& big, const at::Tensor& weight) {
    const Channels channels = channels_of(weight);
    require(big, weight.scalar_type());
    require_together(big, weight);
    ensure(big.size(1) == channels.big && big.size(2) % 2 == 0 && big.size(3) % 2 == 0,
           "the big image has the weights' channels and an even height and width");
    if (big.is_cuda()) return gpu::winograd_down(big, weight);
    at::Tensor small =
        image_like(big, {big.size(0), channels.small, big.size(2) / 2, big.size(3) / 2});
    with_type(weight.scalar_type(), [&](auto t) {
        using T = decltype(t);
        passes<T>().down(image_of<T>(big), weight.const_data_ptr<T>(), image_to<T>(small));
    });
    return small;
}

at::Tensor up(const at::Tensor& small, const at::Tensor& weight) {
    const Channels channels = channels_of(weight);
    require(small, weight.scalar_type());
    require_together(small, weight);
    ensure(small.size(1) == channels.small, "the small image has the weights' channels");
    if (small.is_cuda()) return gpu::winograd_up(small, weight);
    at::Tensor big =
        image_like(small, {small.size(0), channels.big, 2 * small.size(2), 2 * small.size(3)});
    with_type(weight.scalar_type(), [&](auto t) {
        using T = decltype(t);
        passes<T>().up(image_of<T>(small), weight.const_data_ptr<T>(), image_to<T>(big));
    });
    return big;
}

void weight_gradient(const at::Tensor& big, const at::Tensor& small, const at::Tensor& leaf) {
    require(big, small.scalar_type());
    require(small, small.scalar_type());
    require(leaf, at::kFloat);
    require_together(big, small);
    require_together(big, leaf);
    ensure(big.size(0) == small.size(0) && big.size(2) == 2 * small.size(2) &&
               big.size(3) == 2 * small.size(3),
           "the big image is twice as high and wide as the small one");
    ensure(big.numel() > 0 && small.numel() > 0, "the images have pixels");
    const Channels channels = channels_of(leaf);
    ensure(channels.small == small.size(1) && channels.big == big.size(1),
           "the gradient has the channels of the images");
    if (big.is_cuda()) return gpu::winograd_weight_gradient(big, small, leaf);
    with_type(small.scalar_type(), [&](auto t) {
        using T = decltype(t);
        passes<T>().gradient(image_of<T>(big), image_of<T>(small), leaf.mutable_data_ptr<float>());
    });
}

}  // namespace civitas::strided
