// Kernels on images and weights of odd sizes and at odd places, compiled with the sanitizers of
// addresses and undefined behaviour; libtorch, which is not, gives each tensor memory of its own.
// Prints what is not finite, and ends with 1 when anything is not.
#include "strided/passes.hpp"

#include "civitas/strided/convolution.hpp"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/randn.h>
#include <array>
#include <cmath>
#include <iostream>

using namespace civitas;

namespace {

using Sizes = std::array<std::int64_t, 4>;

/// A channels-last tensor that begins one number after its memory, which ends with it.
at::Tensor misplaced(const Sizes& sizes, at::ScalarType type) {
    const auto [b, c, h, w] = sizes;
    const at::Tensor all = at::randn({1 + b * c * h * w}).to(type);
    return all.narrow(0, 1, b * c * h * w).view({b, h, w, c}).permute({0, 3, 1, 2});
}

bool finite(const char* what, const at::Tensor& t) {
    const bool yes = at::isfinite(t).all().item<bool>();
    if (!yes) std::cout << what << " of " << t.sizes() << " is not finite\n";
    return yes;
}

/// Winograd's ways, which processors with tiles do not take.
bool by_transforms(const at::Tensor& big, const at::Tensor& small, const at::Tensor& weight,
                   const at::Tensor& leaf) {
    const auto to_big = at::full_like(big, NAN), to_small = at::full_like(small, NAN);
    strided::with_type(big.scalar_type(), [&]<class T>(T) {
        const auto big_image = strided::image_of<T>(big), small_image = strided::image_of<T>(small);
        strided::run_gradient(big_image, small_image, leaf.mutable_data_ptr<float>());
        strided::run_down(big_image, weight.const_data_ptr<T>(), strided::image_to<T>(to_small));
        strided::run_up(small_image, weight.const_data_ptr<T>(), strided::image_to<T>(to_big));
    });
    return finite("down by transforms", to_small) && finite("up by transforms", to_big) &&
           finite("the gradient by transforms", leaf);
}

bool run(const Sizes& small_sizes, std::int64_t big_channels, at::ScalarType type) {
    const auto [b, c, h, w] = small_sizes;
    const auto big = misplaced({b, big_channels, 2 * h, 2 * w}, type);
    const auto small = misplaced(small_sizes, type);
    const auto weight = misplaced({c, big_channels, 4, 4}, type);
    const auto leaf = misplaced({c, big_channels, 4, 4}, at::kFloat).fill_(NAN);
    strided::weight_gradient(big, small, leaf);
    if (!finite("the gradient", leaf)) return false;
    return finite("down", strided::down(big, weight)) && finite("up", strided::up(small, weight)) &&
           by_transforms(big, small, weight, leaf.fill_(NAN));
}

}  // namespace

int main() {
    bool good = true;
    for (const int threads : {1, 2}) {
        at::set_num_threads(threads);
        for (const auto type : {at::kFloat, at::kBFloat16}) {
            if (!strided::supports(type)) continue;
            good = run({1, 1, 1, 1}, 1, type) && good;
            good = run({3, 33, 3, 5}, 17, type) && good;
            good = run({2, 18, 16, 15}, 65, type) && good;
            good = run({5, 40, 61, 13}, 34, type) && good;  // strips of two images, one none
            good = run({1, 20, 5, 5}, 18, type) && good;    // phases that share patches
            good = run({2, 17, 7, 7}, 34, type) && good;
            good = run({2, 17, 7, 7}, 300, type) && good;  // pieces of weights
            good = run({1, 1100, 2, 2}, 17, type) && good;
            good = run({1, 16, 1, 1}, 32, type) && good;  // whole vectors at odd places
        }
    }
    return good ? 0 : 1;
}
