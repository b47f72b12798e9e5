#include "civitas/kernels/winograd.hpp"

#include "number_type.hpp"
#include "winograd_passes.hpp"

#include <ATen/ops/empty.h>

namespace civitas::kernels::winograd {
namespace {

void require(const at::Tensor& tensor, at::ScalarType type) {
    ensure(tensor.device().is_cpu() && tensor.scalar_type() == type && tensor.dim() == 4 &&
               tensor.is_contiguous(at::MemoryFormat::ChannelsLast),
           "Winograd kernels read channels-last images and weights of one type on the CPU");
}

template <class T>
Image<const T> image_of(const at::Tensor& t) {
    return {t.const_data_ptr<T>(), t.size(0), t.size(2), t.size(3), t.size(1)};
}
template <class T>
Image<T> image_to(const at::Tensor& t) {
    return {t.mutable_data_ptr<T>(), t.size(0), t.size(2), t.size(3), t.size(1)};
}

Channels channels_of(const at::Tensor& weight) {
    require(weight, weight.scalar_type());
    ensure(weight.size(2) == kernel && weight.size(3) == kernel, "the kernel is 4 x 4");
    return {weight.size(0), weight.size(1)};
}

at::Tensor packed_memory(const Packing& packing) { return at::empty({packing.size()}, at::kFloat); }
Word* words_in(const at::Tensor& packed) { return static_cast<Word*>(packed.mutable_data_ptr()); }

at::Tensor image_like(const at::Tensor& other, at::IntArrayRef sizes) {
    return at::empty(sizes, other.options(), at::MemoryFormat::ChannelsLast);
}

}  // namespace

bool supports(at::ScalarType type) {
    return multiplies_vectors_of(type) && (type == at::kFloat || !has_matrix_units());
}

DownWeights pack_for_down(const at::Tensor& weight) {
    const Channels channels = channels_of(weight);
    return with_type(weight.scalar_type(), [&](auto t) -> DownWeights {
        using T = decltype(t);
        const at::Tensor packed = packed_memory(packing_for_down<T>(channels));
        pack_down(weight.const_data_ptr<T>(), channels, words_in(packed));
        return {{packed, weight.scalar_type(), channels.small, channels.big}};
    });
}

UpWeights pack_for_up(const at::Tensor& weight) {
    const Channels channels = channels_of(weight);
    return with_type(weight.scalar_type(), [&](auto t) -> UpWeights {
        using T = decltype(t);
        const at::Tensor packed = packed_memory(packing_for_up<T>(channels));
        pack_up(weight.const_data_ptr<T>(), channels, words_in(packed));
        return {{packed, weight.scalar_type(), channels.small, channels.big}};
    });
}

at::Tensor down(const at::Tensor& big, const DownWeights& weights) {
    require(big, weights.type);
    ensure(big.size(1) == weights.big_channels && big.size(2) % 2 == 0 && big.size(3) % 2 == 0,
           "the big image has the weights' channels and an even height and width");
    at::Tensor small =
        image_like(big, {big.size(0), weights.small_channels, big.size(2) / 2, big.size(3) / 2});
    with_type(weights.type, [&](auto t) {
        using T = decltype(t);
        run_down(image_of<T>(big), words_in(weights.words), image_to<T>(small));
    });
    return small;
}

at::Tensor up(const at::Tensor& small, const UpWeights& weights) {
    require(small, weights.type);
    ensure(small.size(1) == weights.small_channels, "the small image has the weights' channels");
    at::Tensor big = image_like(
        small, {small.size(0), weights.big_channels, 2 * small.size(2), 2 * small.size(3)});
    with_type(weights.type, [&](auto t) {
        using T = decltype(t);
        run_up(image_of<T>(small), words_in(weights.words), image_to<T>(big));
    });
    return big;
}

void weight_gradient(const at::Tensor& big, const at::Tensor& small, const at::Tensor& leaf) {
    require(big, small.scalar_type());
    require(small, small.scalar_type());
    require(leaf, at::kFloat);
    ensure(big.size(0) == small.size(0) && big.size(2) == 2 * small.size(2) &&
               big.size(3) == 2 * small.size(3),
           "the big image is twice as high and wide as the small one");
    const Channels channels = channels_of(leaf);
    ensure(channels.small == small.size(1) && channels.big == big.size(1),
           "the gradient has the channels of the images");
    with_type(small.scalar_type(), [&](auto t) {
        using T = decltype(t);
        run_gradient(image_of<T>(big), image_of<T>(small), leaf.mutable_data_ptr<float>());
    });
}

}  // namespace civitas::kernels::winograd
