#include "cases.hpp"
#include "strided/passes.hpp"

#include "civitas/simd/instruction_set.hpp"
#include "civitas/strided/convolution.hpp"

#include <ATen/Parallel.h>

using namespace civitas;
using namespace strided::test;

namespace {

/// A gradient by one of the ways, whichever the processor takes.
template <class T, class Run>
at::Tensor gradient_by(Run run, const Images& i) {
    const auto leaf = leaf_of(i);
    run(strided::image_of<T>(i.big), strided::image_of<T>(i.small),
        leaf.template mutable_data_ptr<float>());
    return leaf;
}

/// With one thread; three give the same bits.
template <class T, class Run>
at::Tensor gradient_of_any_threads(Run run, const Images& images) {
    const int before = at::get_num_threads();
    at::set_num_threads(1);
    auto alone = gradient_by<T>(run, images);
    at::set_num_threads(3);
    CHECK(torch::equal(alone, gradient_by<T>(run, images)));
    at::set_num_threads(before);
    return alone;
}

}  // namespace

// Numbers of bf16 are multiplied exactly, and those of fp32 nearly so.
TEMPLATE_TEST_CASE("gradients without transforms are those of autograd in double", "", float,
                   c10::BFloat16) {
    constexpr auto type = c10::CppTypeToScalarType<TestType>::value;
    if (!simd::has_amx()) return;
    auto all = shapes;
    all.push_back({1, 128, 1, 210, 210});  // more than a round takes
    for (const auto& shape : all) {
        const auto images = random_images(shape, type);
        const auto leaf = gradient_of_any_threads<TestType>(strided::run_direct_gradient<TestType>,
                                                            as(images, type));
        info(shape);
        CHECK(apart(leaf, by_autograd(images).gradient) < 2e-6);
    }
}

TEST_CASE("gradients by transforms in bf16 are there on processors with tiles, too") {
    if (!strided::supports(at::kBFloat16)) return;
    for (const auto& shape : shapes) {
        const auto images = random_images(shape, at::kBFloat16);
        const auto rounded = as(images, at::kBFloat16);
        const auto leaf = gradient_of_any_threads<c10::BFloat16>(
            strided::winograd_passes<c10::BFloat16>().gradient, rounded);
        const auto truth = by_autograd(images).gradient;
        info(shape);
        const double times = most_times_off(shape, strided::size_of_patches(extent_of(shape)));
        CHECK(off(leaf, truth) < times * off(by_aten(rounded).gradient, truth));
    }
}
