#include "support/tensor.hpp"

#include "gpu/multiply.hpp"

#include "civitas/gpu/graph.hpp"
#include "civitas/kernels/batch_norm.hpp"
#include "civitas/optim/arena.hpp"
#include "civitas/schedule/gan.hpp"
#include "civitas/strided/convolution.hpp"
#include "civitas/tasks/augment.hpp"
#include "support/adam.hpp"
#include "support/apart.hpp"
#include "support/gpu.hpp"
#include "support/images.hpp"

#include <ATen/ops/bmm.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_backward.h>
#include <cmath>

// What kernels of ours compute on a GPU, and what they compute on a CPU.

using namespace civitas;
using namespace civitas::test;

namespace {

double apart_on_cpu(const at::Tensor& a, const at::Tensor& b) {
    return apart(a.cpu(), b.to(at::kDouble));
}

}  // namespace

TEST_CASE("what D sees of images on a GPU is what it sees on a CPU, and gradients go back so") {
    if (!gpu_here("images were")) return;
    const tasks::AugmentOptions options{Seed{7}, 0.2, 0.125};
    const tasks::SampleRange visit{StepIndex{3}, schedule::gan::fake, Sample{40}};
    const auto drawn = draw_augmentations(options, visit, 8, 64);
    const auto there = drawn.to(at::kCUDA);
    for (const auto type : {at::kFloat, at::kBFloat16, at::kDouble}) {
        const auto x = at::rand({8, 3, 64, 64});
        const auto cpu = augment(options, drawn, x, type);
        const auto gpu = augment(options, there, x.to(at::kCUDA), type);
        CHECK(gpu.is_contiguous(at::MemoryFormat::ChannelsLast));
        const double rounding = type == at::kBFloat16 ? 0.02 : type == at::kFloat ? 1e-6 : 1e-9;
        CHECK((gpu.cpu().to(at::kDouble) - cpu.to(at::kDouble)).abs().max().item<double>() <
              rounding);
        const auto back = augment_backward(options, there, gpu);
        CHECK(back.cpu().equal(augment_backward(options, drawn, gpu.cpu())));
    }
}

TEST_CASE("batch norm with the activation behind it is on a GPU what it is on a CPU") {
    if (!gpu_here("batch norm was")) return;
    at::manual_seed(1);
    // Of one chunk of rows and of several, whole vectors and others, tiles in full and in part.
    for (const auto& shape : std::vector<std::vector<std::int64_t>>{{3, 5, 2, 1},
                                                                    {3, 8, 2, 1},
                                                                    {8, 1024, 4, 4},
                                                                    {8, 36, 8, 8},
                                                                    {8, 512, 8, 8},
                                                                    {1, 44, 27, 19},
                                                                    {1, 33, 27, 19},
                                                                    {8, 512, 16, 16},
                                                                    {8, 64, 32, 32},
                                                                    {8, 64, 128, 128},
                                                                    {2, 4, 300, 200},
                                                                    {1, 3, 400, 401}})
        for (const auto type : {at::kFloat, at::kBFloat16}) {
            INFO(at::IntArrayRef(shape) << ' ' << type);
            const auto like = [&](const at::Tensor& t) {
                return t.to(type).contiguous(at::MemoryFormat::ChannelsLast);
            };
            const auto x = like(at::randn(shape) + 0.5), gy = like(at::randn(shape));
            const kernels::BatchNorm here{at::rand({shape[1]}) + 0.5, at::randn({shape[1]}), 1e-5,
                                          0.2};
            const kernels::BatchNorm there{here.weight_C.to(at::kCUDA), here.bias_C.to(at::kCUDA),
                                           here.epsilon, here.slope};
            const auto cpu = batch_norm_forward(x, here);
            const auto x_there = x.to(at::kCUDA), gy_there = gy.to(at::kCUDA);
            const auto gpu = batch_norm_forward(x_there, there);
            const double tolerance = type == at::kFloat ? 1e-5 : 0.005;
            CHECK(apart_on_cpu(gpu.y, cpu.y) < tolerance);
            CHECK(apart_on_cpu(gpu.unbiased_variance_C, cpu.unbiased_variance_C) < 1e-5);
            const auto back_cpu = batch_norm_backward(gy, x, cpu.moments, here);
            const auto back = batch_norm_backward(gy_there, x_there, gpu.moments, there);
            CHECK(apart_on_cpu(back.gx, back_cpu.gx) < (type == at::kFloat ? 1e-4 : 0.01));
            CHECK(apart_on_cpu(back.g_weight_C, back_cpu.g_weight_C) < 1e-3);
            CHECK(apart_on_cpu(back.g_bias_C, back_cpu.g_bias_C) < 1e-3);

            const auto x_shifted = shifted(x_there), gy_shifted = shifted(gy_there);
            const auto again = batch_norm_forward(x_shifted, there);
            CHECK(again.y.equal(gpu.y));
            CHECK(again.moments.mean_C.equal(gpu.moments.mean_C));
            CHECK(again.moments.inverse_deviation_C.equal(gpu.moments.inverse_deviation_C));
            CHECK(again.unbiased_variance_C.equal(gpu.unbiased_variance_C));
            for (const auto& [values, over] :
                 {std::pair{x_there, gy_there}, {x_shifted, gy_shifted}}) {
                const auto same = batch_norm_backward(over, values, gpu.moments, there, over);
                CHECK(same.gx.equal(back.gx));
                CHECK(same.g_weight_C.equal(back.g_weight_C));
                CHECK(same.g_bias_C.equal(back.g_bias_C));
            }
        }
}

TEST_CASE("a GPU's batch norm of values far from 0 is that of a CPU") {
    if (!gpu_here("batch norm of large means was")) return;
    at::manual_seed(1);
    for (const std::int64_t channels : {7, 8}) {
        const auto x =
            (at::randn({2, channels, 33, 31}) + 1000).contiguous(at::MemoryFormat::ChannelsLast);
        const kernels::BatchNorm here{at::ones({channels}), at::zeros({channels})};
        const kernels::BatchNorm there{here.weight_C.to(at::kCUDA), here.bias_C.to(at::kCUDA)};
        const auto cpu = batch_norm_forward(x, here),
                   gpu = batch_norm_forward(x.to(at::kCUDA), there);
        CHECK(apart_on_cpu(gpu.y, cpu.y) < 2e-4);
        CHECK(apart_on_cpu(gpu.moments.mean_C, cpu.moments.mean_C) < 1e-6);
        CHECK(apart_on_cpu(gpu.unbiased_variance_C, cpu.unbiased_variance_C) < 1e-5);
    }
}

TEST_CASE("convolutions by Winograd on a GPU are ATen's in double precision, with the same bits") {
    if (!gpu_here("Winograd's convolutions were")) return;
    at::manual_seed(2);
    const auto nhwc = at::MemoryFormat::ChannelsLast;
    const auto normal = [&](at::IntArrayRef sizes) {
        return at::randn(sizes, at::kCUDA).contiguous(nhwc);
    };
    const auto as_double = [](const at::Tensor& t) { return t.to(at::kDouble); };
    struct Sizes {
        std::int64_t images, small, big, height, width;
    };
    for (const Sizes& c : {Sizes{8, 64, 3, 128, 128},
                           {8, 128, 64, 64, 64},
                           {8, 256, 128, 32, 32},
                           {8, 512, 256, 16, 16},
                           {8, 512, 512, 8, 8},
                           {8, 512, 512, 4, 4},
                           {3, 33, 5, 7, 18}}) {
        INFO(c.small << " channels, " << c.height << " x " << c.width);
        const auto big = normal({c.images, c.big, 2 * c.height, 2 * c.width});
        const auto small = normal({c.images, c.small, c.height, c.width});
        const auto weight = normal({c.small, c.big, 4, 4});
        const auto down = at::convolution(as_double(big), as_double(weight), {}, {2, 2}, {1, 1},
                                          {1, 1}, false, {0, 0}, 1);
        const auto [up, gradient, no_bias] = at::convolution_backward(
            as_double(small), as_double(big), as_double(weight), c10::nullopt, {2, 2}, {1, 1},
            {1, 1}, false, {0, 0}, 1, {true, true, false});
        const auto made_down = strided::down(big, weight);
        const auto made_up = strided::up(small, weight);
        const auto leaf = normal({c.small, c.big, 4, 4}), again = normal({c.small, c.big, 4, 4});
        strided::weight_gradient(big, small, leaf);
        strided::weight_gradient(big, small, again);
        CHECK(apart(made_down, down) < 1e-5);
        CHECK(apart(made_up, up) < 1e-5);
        CHECK(apart(leaf, gradient) < 1e-5);
        CHECK(made_down.equal(strided::down(big, weight)));
        CHECK(made_up.equal(strided::up(small, weight)));
        CHECK(leaf.equal(again));
    }
}

TEST_CASE("products on tensor cores are those in double precision, whatever lies in a row") {
    if (!gpu_here("products were")) return;
    at::manual_seed(6);
    struct Sizes {
        std::int64_t matrices, rows, columns, inner;
    };
    const auto batch = [](std::int64_t n, std::int64_t rows, std::int64_t columns, bool by_row) {
        const auto numbers = at::randn({n, by_row ? rows : columns, by_row ? columns : rows},
                                       at::TensorOptions(at::kCUDA));
        return by_row ? numbers : numbers.transpose(1, 2);
    };
    for (const Sizes& s : {Sizes{25, 512, 256, 1024},
                           {9, 32, 512, 2048},
                           {3, 132, 68, 20},
                           {3, 132, 68, 1004},
                           {3, 20, 68, 1004},
                           {2, 4, 12, 4},
                           {100, 200, 260, 36},
                           {2, 8, 8, 20000},
                           {1, 33, 17, 5}})
        for (const bool left_by_row : {true, false})
            for (const bool right_by_row : {true, false}) {
                INFO(s.matrices << " of " << s.rows << " x " << s.inner << " x " << s.columns);
                const auto a = batch(s.matrices, s.rows, s.inner, left_by_row);
                const auto b = batch(s.matrices, s.inner, s.columns, right_by_row);
                const auto made = gpu::multiply(a, b);
                const auto in_doubles = at::bmm(a.to(at::kDouble), b.to(at::kDouble));
                CHECK(apart(made.sum(0), in_doubles) < 1e-6);
                CHECK(made.equal(gpu::multiply(a, b)));
            }
}

TEST_CASE("long sums of few products are made in parts on a GPU") {
    if (!gpu_here("products were")) return;
    const auto parts = [](std::int64_t matrices, std::int64_t rows, std::int64_t inner) {
        const at::TensorOptions on_gpu(at::kCUDA);
        return gpu::multiply(at::zeros({matrices, rows, inner}, on_gpu),
                             at::zeros({matrices, inner, 512}, on_gpu))
            .size(0);
    };
    CHECK(parts(9, 128, 2048) == 6);
    CHECK(parts(9, 32, 2048) == 8);
    CHECK(parts(9, 128, 512) == 2);
    CHECK(parts(9, 128, 496) == 1);
    CHECK(parts(100, 512, 2048) == 1);
}

TEST_CASE("Adam in one pass is on a GPU what it is on a CPU, wherever arrays begin") {
    if (!gpu_here("updates were")) return;
    for (const std::int64_t count : {1, 3, 1003, 1 << 20, (1 << 20) + 5})
        for (const bool mean : {false, true})
            for (const bool copy : {false, true})
                check_adam({count, mean, copy}, updates::adam, at::kCUDA, {1});
}

TEST_CASE("Adam on a GPU changes nothing where its condition is not finite, by either kernels") {
    if (!gpu_here("conditions were")) return;
    check_condition(updates::adam, at::kCUDA);
    check_condition(updates::adam_by_aten, at::kCUDA);
}

TEST_CASE("a GPU is asked of all arrays at once whether they are finite") {
    if (!gpu_here("numbers were")) return;
    for (const auto type : {at::kFloat, at::kDouble}) {
        const at::TensorOptions on_gpu = at::TensorOptions(at::kCUDA).dtype(type);
        const std::vector<at::Tensor> runs{at::full({1003}, 3e38, on_gpu),
                                           at::ones({1 << 20}, on_gpu)};
        CHECK(optim::all_finite(runs, optim::finite_on_gpu(runs)));
        for (const double bad : {NAN, INFINITY, -INFINITY}) {
            const at::Tensor last = runs[1][(1 << 20) - 1];
            last.fill_(bad);
            CHECK_FALSE(optim::all_finite(runs, optim::finite_on_gpu(runs)));
            last.fill_(0);
        }
        CHECK(optim::all_finite(runs, optim::finite_on_gpu(runs)));
    }
}

TEST_CASE("graphs share memory, and others can be recorded when all of them are gone") {
    if (!gpu_here("graphs were")) return;
    const gpu::OwnStream stream(at::Device(at::kCUDA, 0));
    const gpu::MakeGraph make = gpu::graphs_of(at::Device(at::kCUDA, 0));
    const auto x = at::ones({1 << 20}, at::kCUDA);
    for (int generation = 0; generation < 3; ++generation) {
        const auto first = make();
        const auto second = make();
        at::Tensor doubled, squared;
        first->record([&] { return std::vector{doubled = at::add(x, x)}; });
        second->record([&] { return std::vector{squared = at::mul(doubled, doubled)}; });
        for (const double value : {1.0, 3.0}) {
            x.fill_(value);
            first->replay();
            second->replay();
            CHECK(squared.cpu().eq(4 * value * value).all().item<bool>());
        }
    }
}
