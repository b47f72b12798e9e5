#pragma once
/// Images and weights of convolutions of stride 2, and what autograd and ATen make of them.
#include "strided/winograd_tiling.hpp"
#include "support/torch.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace civitas::strided::test {

/// A small image and the channels of the big one.
struct Shape {
    std::int64_t batch, small_channels, big_channels, height, width;
    friend bool operator==(const Shape&, const Shape&) = default;
};

/// One pixel, odd sides, one image, channels that fill no vector, no panel or several, more patches
/// than a block has, and more than a gradient takes at once; sides that are cut for two, three and
/// four results, and whose phases share patches; strips of several images, the last of them with
/// fewer rows and an image that is none.
inline const std::vector<Shape> shapes{
    {1, 1, 1, 1, 1},     {1, 16, 32, 1, 1},   {3, 5, 7, 3, 5},     {2, 33, 17, 4, 4},
    {1, 32, 31, 5, 2},   {2, 33, 17, 5, 5},   {2, 64, 48, 7, 7},   {2, 48, 64, 8, 6},
    {5, 65, 34, 2, 3},   {1, 129, 40, 7, 9},  {8, 64, 40, 16, 8},  {4, 16, 3, 32, 30},
    {3, 24, 20, 32, 32}, {3, 96, 70, 30, 30}, {6, 16, 20, 40, 40}, {3, 96, 40, 61, 13}};

inline at::Tensor channels_last(const at::Tensor& t) {
    return t.contiguous(at::MemoryFormat::ChannelsLast);
}

/// Numbers that the type has, so that doubles compute with the same.
inline at::Tensor random(at::IntArrayRef sizes, at::ScalarType type) {
    return torch::randn(sizes, at::kDouble).to(type).to(at::kDouble);
}

struct Images {
    at::Tensor big, small, weight;
};

inline Images random_images(const Shape& s, at::ScalarType type) {
    torch::manual_seed(11);
    return {random({s.batch, s.big_channels, 2 * s.height, 2 * s.width}, type),
            random({s.batch, s.small_channels, s.height, s.width}, type),
            random({s.small_channels, s.big_channels, 4, 4}, type)};
}

inline Images as(const Images& from, at::ScalarType type) {
    return {channels_last(from.big.to(type)), channels_last(from.small.to(type)),
            channels_last(from.weight.to(type))};
}

/// Room for a gradient, of which nothing is there yet.
inline at::Tensor leaf_of(const Images& i) {
    return channels_last(torch::full(i.weight.sizes(), NAN, at::kFloat));
}

struct Results {
    at::Tensor down, up, gradient;
};

/// `up` is what autograd makes of a small image that is the gradient of `down`.
inline Results by_autograd(const Images& images) {
    const auto big = images.big.clone().requires_grad_();
    const auto weight = images.weight.clone().requires_grad_();
    const auto small = torch::conv2d(big, weight, {}, 2, 1);
    small.backward(images.small);
    return {small.detach(), big.grad(), weight.grad()};
}

inline Results by_aten(const Images& i) {
    const auto [up, gradient, bias] =
        at::convolution_backward(i.small, i.big, i.weight, {}, {2, 2}, {1, 1}, {1, 1}, false,
                                 {0, 0}, 1, {true, true, false});
    return {torch::conv2d(i.big, i.weight, {}, 2, 1), up, gradient};
}

/// The largest difference relative to the largest number.
inline double apart(const at::Tensor& a, const at::Tensor& truth) {
    if (a.sizes() != truth.sizes()) return INFINITY;
    const auto difference = (a.to(at::kDouble) - truth).abs().max().item<double>();
    return std::isnan(difference) ? INFINITY : difference / truth.abs().max().item<double>();
}

/// The difference in the Euclidean norm relative to that of the truth, one rounding at least.
inline double off(const at::Tensor& a, const at::Tensor& truth) {
    const auto difference = (a.to(at::kDouble) - truth).norm().item<double>();
    return std::max(1e-3, difference / truth.norm().item<double>());
}

inline void info(const Shape& s) {
    UNSCOPED_INFO(s.batch << " of " << s.small_channels << " x " << s.height << " x " << s.width
                          << ", " << s.big_channels << " channels in the big image");
}

/// Of the small image.
inline Extent extent_of(const Shape& shape) { return {shape.height, shape.width}; }

/// What bf16 by F(m, 2) is off by at most, in what ATen's is.
inline double most_times_off(const Shape& shape, int m) {
    if (shape.height * shape.width == 1) return 6;
    return m == 4 ? 4.5 : 3;
}

}  // namespace civitas::strided::test
