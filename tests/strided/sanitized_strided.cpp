// Kernels on images and weights of odd sizes and at odd places, compiled with the sanitizers of
// addresses and undefined behaviour; libtorch, which is not, gives each tensor memory of its own.
// Prints what is not finite, and ends with 1 when anything is not.
#include "strided/passes.hpp"

#include "civitas/strided/convolution.hpp"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/randn.h>
#include <array>
#include <cmath>
#include <iostream>

using namespace civitas;

namespace {

using Sizes = std::array<std::int64_t, 4>;

/// What lies around a tensor: memory that is not its own, or so many NaNs, which tell of vectors
/// that are read too far, as sanitizers do not.
enum Around : std::int64_t { nothing = 0, nans = 64 };

/// A channels-last tensor that begins at an odd number.
at::Tensor misplaced(const Sizes& sizes, at::ScalarType type, Around around) {
    const auto [b, c, h, w] = sizes;
    const std::int64_t count = b * c * h * w;
    const at::Tensor all = at::full({1 + count + 2 * around}, NAN, type);
    const at::Tensor numbers = all.narrow(0, 1 + around, count).copy_(at::randn({count}));
    return numbers.view({b, h, w, c}).permute({0, 3, 1, 2});
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
        const strided::Passes<T> passes = strided::winograd_passes<T>();
        passes.gradient(big_image, small_image, leaf.mutable_data_ptr<float>());
        passes.down(big_image, weight.const_data_ptr<T>(), strided::image_to<T>(to_small));
        passes.up(small_image, weight.const_data_ptr<T>(), strided::image_to<T>(to_big));
    });
    return finite("down by transforms", to_small) && finite("up by transforms", to_big) &&
           finite("the gradient by transforms", leaf);
}

bool run(const Sizes& small_sizes, std::int64_t big_channels, at::ScalarType type, Around around) {
    const auto [b, c, h, w] = small_sizes;
    const auto big = misplaced({b, big_channels, 2 * h, 2 * w}, type, around);
    const auto small = misplaced(small_sizes, type, around);
    const auto weight = misplaced({c, big_channels, 4, 4}, type, around);
    const auto leaf = misplaced({c, big_channels, 4, 4}, at::kFloat, around).fill_(NAN);
    strided::weight_gradient(big, small, leaf);
    if (!finite("the gradient", leaf)) return false;
    return finite("down", strided::down(big, weight)) && finite("up", strided::up(small, weight)) &&
           by_transforms(big, small, weight, leaf.fill_(NAN));
}

bool run_all(at::ScalarType type, Around around) {
    bool good = run({1, 1, 1, 1}, 1, type, around);
    good = run({3, 33, 3, 5}, 17, type, around) && good;
    good = run({2, 18, 16, 15}, 65, type, around) && good;
    good = run({5, 40, 61, 13}, 34, type, around) && good;  // strips of two images, one none
    good = run({1, 20, 5, 5}, 18, type, around) && good;    // phases that share patches
    good = run({2, 17, 7, 7}, 34, type, around) && good;
    good = run({2, 17, 7, 7}, 300, type, around) && good;  // pieces of weights
    good = run({1, 1100, 2, 2}, 17, type, around) && good;
    return run({1, 16, 1, 1}, 32, type, around) && good;  // whole vectors at odd places
}

}  // namespace

int main() {
    bool good = true;
    for (const int threads : {1, 2}) {
        at::set_num_threads(threads);
        for (const auto type : {at::kFloat, at::kBFloat16})
            for (const Around around : {nothing, nans})
                if (strided::supports(type)) good = run_all(type, around) && good;
    }
    return good ? 0 : 1;
}
