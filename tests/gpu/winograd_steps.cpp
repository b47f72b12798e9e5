#include "support/tensor.hpp"

// What a GPU computes around the products of Winograd's filtering, step by step, compiled for a
// CPU: no GPU is needed.
#include "gpu/winograd_passes.hpp"

#include "support/apart.hpp"

#include <ATen/ops/bmm.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/stack.h>
#include <algorithm>
#include <vector>

using namespace civitas;
using namespace civitas::gpu;
using test::apart;

namespace {

constexpr auto nhwc = at::MemoryFormat::ChannelsLast;

/// Every step as a loop, from the end: none may ask for another. Products are summed in up to three
/// parts.
struct Loops {
    template <class Step>
    void launch(std::int64_t count, const Step& step) const {
        for (std::int64_t i = count; i-- > 0;) step(i);
    }
    [[nodiscard]] static at::Tensor multiply(const at::Tensor& a, const at::Tensor& b) {
        const std::int64_t inner = a.size(2), parts = std::min<std::int64_t>(3, inner);
        std::vector<at::Tensor> sums;
        for (std::int64_t part = 0; part < parts; ++part) {
            const std::int64_t begin = inner * part / parts;
            const std::int64_t count = inner * (part + 1) / parts - begin;
            sums.push_back(at::bmm(a.narrow(2, begin, count), b.narrow(1, begin, count)));
        }
        return at::stack(sums);
    }
};

struct Doubling {
    std::int64_t images, small, big;  ///< channels
    std::int64_t height, width;       ///< of small images
};

at::Tensor normal(at::IntArrayRef sizes) { return at::randn(sizes).contiguous(nhwc); }

void compare_with_aten(const Doubling& c) {
    INFO(c.images << " x " << c.small << "/" << c.big << " x " << c.height << " x " << c.width);
    const auto big = normal({c.images, c.big, 2 * c.height, 2 * c.width});
    const auto small = normal({c.images, c.small, c.height, c.width});
    const auto weight = normal({c.small, c.big, 4, 4});
    const auto as_double = [](const at::Tensor& t) { return t.to(at::kDouble); };
    const auto [up, gradient, no_bias] =
        at::convolution_backward(as_double(small), as_double(big), as_double(weight), c10::nullopt,
                                 {2, 2}, {1, 1}, {1, 1}, false, {0, 0}, 1, {true, true, false});
    const auto down = at::convolution(as_double(big), as_double(weight), {}, {2, 2}, {1, 1}, {1, 1},
                                      false, {0, 0}, 1);

    CHECK(apart(winograd::down(big, weight, Loops()), down) < 1e-5);
    CHECK(apart(winograd::up(small, weight, Loops()), up) < 1e-5);
    const auto leaf = at::full({c.small, c.big, 4, 4}, NAN).contiguous(nhwc);
    winograd::weight_gradient(big, small, leaf, Loops());
    CHECK(apart(leaf, gradient) < 1e-5);
}

}  // namespace

TEST_CASE("convolutions on a GPU are ATen's, in patches of both sizes, shared by phases or not") {
    at::manual_seed(3);
    compare_with_aten({2, 5, 3, 4, 4});
    compare_with_aten({1, 3, 7, 1, 1});
    compare_with_aten({2, 4, 4, 5, 7});
    compare_with_aten({2, 8, 6, 16, 16});
    compare_with_aten({1, 4, 3, 18, 23});
    compare_with_aten({1, 4, 3, 64, 64});
    compare_with_aten({1, 2, 1, 65, 67});
    compare_with_aten({2, 4, 2, 64, 64});
}

TEST_CASE("more numbers than kernels of a GPU count are refused with a way out") {
    const auto x =
        at::empty({512, 64, 256, 256},
                  at::TensorOptions(at::kMeta).memory_format(at::MemoryFormat::ChannelsLast));
    CHECK_THROWS_WITH(winograd::down(x, normal({4, 64, 4, 4}), Loops()),
                      Catch::Contains("a smaller --micro-batch, or --kernels aten"));
}

TEST_CASE("images and weights are fp32 and channels-last") {
    const auto x = normal({1, 3, 8, 8}), weight = normal({4, 3, 4, 4});
    const auto refuses = [](const auto& work) { CHECK_THROWS_AS(work(), Error); };
    refuses([&] { return winograd::down(x.to(at::kDouble), weight, Loops()); });
    refuses([&] { return winograd::down(x.contiguous(), weight, Loops()); });
    refuses([&] { return winograd::down(x, normal({4, 3, 3, 3}), Loops()); });
}
