#include "support/apart.hpp"
#include "support/torch.hpp"

#include "civitas/kernels/thin.hpp"

#include <vector>

using namespace civitas;
using test::apart;

namespace {

constexpr auto nhwc = at::MemoryFormat::ChannelsLast;

/// Sizes of the small image, and the channels of the big one.
struct Sizes {
    std::int64_t batch, channels, height, width, big_channels;
};

struct Arrays {
    at::Tensor small, big, weight;
};

Arrays random_arrays(const Sizes& s, at::ScalarType type) {
    torch::manual_seed(s.channels + s.height);
    const auto random = [&](at::IntArrayRef shape) {
        return torch::randn(shape).to(type).contiguous(nhwc);
    };
    return {random({s.batch, s.channels, s.height, s.width}),
            random({s.batch, s.big_channels, 2 * s.height, 2 * s.width}),
            random({s.channels, s.big_channels, 4, 4})};
}

at::Tensor aten_up(const Arrays& a) { return at::conv_transpose2d(a.small, a.weight, {}, 2, 1); }

at::Tensor aten_gradient(const Arrays& a) {
    const std::vector<std::int64_t> stride{2, 2}, one{1, 1}, none{0, 0};
    return std::get<1>(at::convolution_backward(a.small, a.big, a.weight, {}, stride, one, one,
                                                false, none, 1, {false, true, false}));
}

/// By autograd in double: the transposed convolution, and the gradient of the weights of the
/// convolution of `big` whose output has the gradient `small`.
std::pair<at::Tensor, at::Tensor> truth(const Arrays& a) {
    const auto weight = a.weight.to(at::kDouble).contiguous().requires_grad_();
    const auto up = at::conv_transpose2d(a.small.to(at::kDouble), weight, {}, 2, 1);
    at::conv2d(a.big.to(at::kDouble), weight, {}, 2, 1).backward(a.small.to(at::kDouble));
    return {up.detach(), weight.grad()};
}

at::Tensor gradient(const Arrays& a) {
    const auto leaf = torch::full_like(a.weight, NAN, a.weight.options().dtype(at::kFloat), nhwc);
    kernels::thin::weight_gradient(a.big, a.small, leaf);
    return leaf;
}

/// G's last and D's first layers of the named nets (fewer rows of the largest), odd ones, the
/// smallest.
const std::vector<Sizes> all_sizes{{2, 64, 32, 32, 3}, {1, 64, 40, 128, 3}, {1, 32, 8, 256, 1},
                                   {1, 16, 6, 512, 3}, {3, 64, 17, 19, 3},  {1, 64, 1, 1, 3},
                                   {2, 10, 3, 1, 2},   {1, 66, 5, 7, 4},    {3, 7, 1, 9, 3},
                                   {1, 1, 2, 2, 1},    {1, 10, 17, 300, 3}};

}  // namespace

TEST_CASE("thin convolutions are as near to autograd in double as ATen's, times two") {
    for (const auto type : {at::kFloat, at::kBFloat16}) {
        for (const auto& sizes : all_sizes) {
            const auto a = random_arrays(sizes, type);
            if (!kernels::thin::supports(a.weight.sizes(), type)) continue;
            INFO(a.small.sizes() << " to " << sizes.big_channels << ' ' << a.small.dtype());
            const auto [up, weight_gradient] = truth(a);
            const auto ours = kernels::thin::up(a.small, a.weight);
            CHECK(ours.scalar_type() == type);
            CHECK(ours.is_contiguous(nhwc));
            CHECK(apart(ours, up) <= 2 * apart(aten_up(a), up) + 1e-7);
            CHECK(apart(gradient(a), weight_gradient) <=
                  2 * apart(aten_gradient(a), weight_gradient) + 1e-7);
        }
    }
}

TEST_CASE("thin convolutions have the same bits on any number of threads, and in any batch") {
    for (const auto type : {at::kFloat, at::kBFloat16}) {
        const auto a = random_arrays({3, 64, 37, 21, 3}, type);
        if (!kernels::thin::supports(a.weight.sizes(), type)) continue;
        const auto up = kernels::thin::up(a.small, a.weight);
        const auto leaf = gradient(a);
        for (const int threads : {2, 3, 4}) {
            at::set_num_threads(threads);
            CHECK(torch::equal(kernels::thin::up(a.small, a.weight), up));
            CHECK(torch::equal(gradient(a), leaf));
        }
        at::set_num_threads(1);
        CHECK(torch::equal(kernels::thin::up(a.small.slice(0, 1, 2), a.weight), up.slice(0, 1, 2)));
    }
}

TEST_CASE("thin kernels are for few channels of the big image, and words of whole numbers") {
    using kernels::thin::supports;
    CHECK(!supports({64, 5, 4, 4}, at::kFloat));
    CHECK(!supports({64, 3, 3, 3}, at::kFloat));
    CHECK(!supports({63, 3, 4, 4}, at::kBFloat16));
    CHECK(!supports({64, 3, 4, 4}, at::kDouble));
}

TEST_CASE("what is infinite reaches the same gradients on any number of threads") {
    for (const auto type : {at::kFloat, at::kBFloat16}) {
        auto a = random_arrays({1, 32, 17, 19, 3}, type);
        if (!kernels::thin::supports(a.weight.sizes(), type)) continue;
        a.big.index_put_({0, 0, 2, 4}, INFINITY);
        at::set_num_threads(1);
        const auto leaf = gradient(a);
        CHECK(!leaf.isfinite().all().item<bool>());
        CHECK(!leaf.isnan().any().item<bool>());
        at::set_num_threads(2);
        CHECK(torch::equal(gradient(a), leaf));
        at::set_num_threads(1);
    }
}
