// Kernels over arrays that end where their memory ends, of sizes that fill no vector, compiled with
// the sanitizers of addresses and of undefined behaviour: a value read or written outside ends the
// program.
#include "civitas/kernels/batch_norm.hpp"
#include "civitas/kernels/picture.hpp"
#include "civitas/kernels/tanh.hpp"
#include "civitas/kernels/thin.hpp"
#include "civitas/updates/adam.hpp"
#include "civitas/updates/sgd.hpp"

#include <ATen/ops/randn.h>
#include <cstdio>
#include <vector>

namespace {

using namespace civitas;

at::Tensor images(at::IntArrayRef shape, at::ScalarType type) {
    return at::randn(shape).to(type).contiguous(at::MemoryFormat::ChannelsLast);
}

void batch_norms(at::ScalarType type) {
    for (const std::vector<std::int64_t>& shape :
         {std::vector<std::int64_t>{3, 7, 5, 3}, {2, 1, 1, 1}, {1, 300, 7, 5}, {2, 64, 33, 31}}) {
        const auto x = images(shape, type), gy = images(shape, type);
        const kernels::BatchNorm norm{at::randn(shape[1]), at::randn(shape[1]), 1e-5, 0.2};
        const auto made = kernels::batch_norm_forward(x, norm);
        (void)kernels::batch_norm_backward(gy, x, made.moments, norm);
        (void)kernels::batch_norm_backward(gy, x, made.moments, norm, gy);
        (void)kernels::tanh(x);
    }
}

void thin_convolutions(at::ScalarType type) {
    for (const auto& [channels, height, width, big] : {std::array<std::int64_t, 4>{64, 3, 5, 3},
                                                       {10, 1, 1, 1},
                                                       {66, 17, 9, 4},
                                                       {2, 2, 70, 2},
                                                       {10, 17, 300, 3}}) {
        if (!kernels::thin::supports({channels, big, 4, 4}, type)) continue;
        const auto small = images({2, channels, height, width}, type);
        const auto weight = images({channels, big, 4, 4}, type);
        const auto made = kernels::thin::up(small, weight);
        kernels::thin::weight_gradient(made, small, images(weight.sizes(), at::kFloat));
    }
}

void pictures(at::ScalarType type) {
    for (const auto& [channels, height, width, of_picture] :
         {std::array<std::int64_t, 4>{32, 3, 5, 3},
          {64, 1, 1, 1},
          {32, 17, 9, 2},
          {96, 2, 70, 3}}) {
        if (!kernels::picture::supports({of_picture, channels, 3, 3}, type)) continue;
        const auto x = images({2, channels, height, width}, type);
        const auto weight = images({of_picture, channels, 3, 3}, type);
        const auto y = kernels::picture::forward(x, weight);
        (void)kernels::picture::backward_input(y, weight);
        kernels::picture::backward_weights(y, x, images(weight.sizes(), at::kFloat));
    }
}

void optimizers() {
    for (const std::int64_t count : {1, 15, 255, 257, 1003}) {
        const auto random = [&] { return at::randn({count}).abs(); };
        const updates::UpdateArrays all{random(), random(), random(),
                                        random(), random(), random().to(at::kBFloat16)};
        updates::adam(all, {1e-3, 0.5, 0.999, 1e-8, 0, 0.99, 3});
        updates::adam({all.weights, all.gradient, all.first, all.second, {}, {}},
                      {1e-3, 0.5, 0.999, 1e-8, 0, 0.99, 4});
        updates::sgd({all.weights, all.gradient, all.first, {}, all.mean, all.compute_copy},
                     {1e-3, 0.9, 1e-4, 0.99});
        updates::sgd({all.weights, all.gradient, {}, {}, {}, {}}, {1e-3});
    }
}

}  // namespace

int main() {
    for (const auto type : {at::kFloat, at::kBFloat16}) {
        batch_norms(type);
        thin_convolutions(type);
        pictures(type);
    }
    optimizers();
    std::puts("nothing found");
}
