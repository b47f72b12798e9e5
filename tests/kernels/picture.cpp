#include "support/apart.hpp"
#include "support/torch.hpp"

#include "civitas/kernels/picture.hpp"
#include "civitas/simd/instruction_set.hpp"

#include <vector>

using namespace civitas;
using test::apart;

namespace {

constexpr auto nhwc = at::MemoryFormat::ChannelsLast;

struct Sizes {
    std::int64_t batch, channels, height, width, of_picture;
};

struct Arrays {
    at::Tensor x, gy, weight;
};

Arrays random_arrays(const Sizes& s, at::ScalarType type) {
    torch::manual_seed(s.channels + s.height);
    const auto random = [&](at::IntArrayRef shape) {
        return torch::randn(shape).to(type).contiguous(nhwc);
    };
    return {random({s.batch, s.channels, s.height, s.width}),
            random({s.batch, s.of_picture, s.height, s.width}),
            random({s.of_picture, s.channels, 3, 3})};
}

/// F, B and W.
struct Passes {
    at::Tensor y, gx, leaf;
};

Passes by_aten(const Arrays& a) {
    const std::vector<std::int64_t> one{1, 1}, none{0, 0};
    auto [gx, gradient, bias] = at::convolution_backward(a.gy, a.x, a.weight, {}, one, one, one,
                                                         false, none, 1, {true, true, false});
    return {at::conv2d(a.x, a.weight, {}, 1, 1), gx, gradient};
}

/// By autograd in double.
Passes truth(const Arrays& a) {
    const auto x = a.x.to(at::kDouble).requires_grad_();
    const auto weight = a.weight.to(at::kDouble).contiguous().requires_grad_();
    const auto y = at::conv2d(x, weight, {}, 1, 1);
    y.backward(a.gy.to(at::kDouble));
    return {y.detach(), x.grad(), weight.grad()};
}

Passes by_ours(const Arrays& a) {
    const auto leaf = torch::full_like(a.weight, NAN, a.weight.options().dtype(at::kFloat), nhwc);
    kernels::picture::backward_weights(a.gy, a.x, leaf);
    return {kernels::picture::forward(a.x, a.weight),
            kernels::picture::backward_input(a.gy, a.weight), leaf};
}

/// The last layer of dcgan-64, of a wider and of a larger net; odd ones, the smallest.
const std::vector<Sizes> all_sizes{{2, 32, 64, 64, 3}, {1, 64, 64, 64, 3}, {1, 32, 20, 256, 3},
                                   {1, 64, 40, 33, 1}, {3, 32, 17, 19, 2}, {1, 32, 1, 1, 3},
                                   {2, 96, 3, 1, 2},   {1, 32, 1, 9, 3},   {2, 32, 2, 2, 1}};

}  // namespace

TEST_CASE("convolutions to pictures are as near to autograd in double as ATen's, times two") {
    for (const auto type : {at::kFloat, at::kBFloat16}) {
        for (const auto& sizes : all_sizes) {
            const auto a = random_arrays(sizes, type);
            if (!kernels::picture::supports(a.weight.sizes(), type)) continue;
            INFO(a.x.sizes() << " to " << sizes.of_picture << ' ' << a.x.dtype());
            const Passes exact = truth(a), aten = by_aten(a), ours = by_ours(a);
            for (const auto pass : {&Passes::y, &Passes::gx}) {
                CHECK((ours.*pass).scalar_type() == type);
                CHECK((ours.*pass).is_contiguous(nhwc));
            }
            for (const auto pass : {&Passes::y, &Passes::gx, &Passes::leaf})
                CHECK(apart(ours.*pass, exact.*pass) <= 2 * apart(aten.*pass, exact.*pass) + 1e-7);
        }
    }
}

TEST_CASE("convolutions to pictures have the same bits on any number of threads, in any batch") {
    for (const auto type : {at::kFloat, at::kBFloat16}) {
        const auto a = random_arrays({3, 64, 37, 21, 3}, type);
        if (!kernels::picture::supports(a.weight.sizes(), type)) continue;
        const Passes one = by_ours(a);
        for (const int threads : {2, 3, 4}) {
            at::set_num_threads(threads);
            const Passes more = by_ours(a);
            for (const auto pass : {&Passes::y, &Passes::gx, &Passes::leaf})
                CHECK(torch::equal(one.*pass, more.*pass));
        }
        at::set_num_threads(1);
        const Passes alone = by_ours({a.x.slice(0, 1, 2), a.gy.slice(0, 1, 2), a.weight});
        CHECK(torch::equal(alone.y, one.y.slice(0, 1, 2)));
        CHECK(torch::equal(alone.gx, one.gx.slice(0, 1, 2)));
    }
}

TEST_CASE("kernels to pictures are for few channels of a picture, and panels before it") {
    using kernels::picture::supports;
    CHECK(supports({1, 96, 3, 3}, at::kFloat) ==
          (simd::instruction_set() >= simd::InstructionSet::avx2));
    CHECK(!supports({4, 32, 3, 3}, at::kFloat));
    CHECK(!supports({3, 48, 3, 3}, at::kFloat));
    CHECK(!supports({3, 32, 4, 4}, at::kFloat));
    CHECK(!supports({3, 32, 3, 3}, at::kDouble));
}
