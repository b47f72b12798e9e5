#include "strided/passes.hpp"

#include "support/torch.hpp"

#include "civitas/net/description.hpp"
#include "civitas/simd/instruction_set.hpp"
#include "civitas/strided/convolution.hpp"

#include <ATen/Parallel.h>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

using namespace civitas;

namespace {

/// A small image and the channels of the big one.
struct Shape {
    std::int64_t batch, small_channels, big_channels, height, width;
    friend bool operator==(const Shape&, const Shape&) = default;
};

/// One pixel, odd sides, one image, channels that fill no vector, no panel or several, more patches
/// than a block has, and more than a gradient takes at once; sides that are cut for two, three and
/// four results, and whose phases share patches; strips of several images, the last of them with
/// fewer rows and an image that is none.
const std::vector<Shape> shapes{
    {1, 1, 1, 1, 1},     {1, 16, 32, 1, 1},   {3, 5, 7, 3, 5},     {2, 33, 17, 4, 4},
    {1, 32, 31, 5, 2},   {2, 33, 17, 5, 5},   {2, 64, 48, 7, 7},   {2, 48, 64, 8, 6},
    {5, 65, 34, 2, 3},   {1, 129, 40, 7, 9},  {8, 64, 40, 16, 8},  {4, 16, 3, 32, 30},
    {3, 24, 20, 32, 32}, {3, 96, 70, 30, 30}, {6, 16, 20, 40, 40}, {3, 96, 40, 61, 13}};

/// More weights than a cache has, for strips of images and for images as a whole.
const std::vector<Shape> shapes_of_many_weights{
    {2, 200, 300, 17, 16}, {9, 40, 300, 4, 4}, {2, 300, 100, 2, 3}};

at::Tensor channels_last(const at::Tensor& t) {
    return t.contiguous(at::MemoryFormat::ChannelsLast);
}

/// Numbers that the type has, so that doubles compute with the same.
at::Tensor random(at::IntArrayRef sizes, at::ScalarType type) {
    return torch::randn(sizes, at::kDouble).to(type).to(at::kDouble);
}

struct Images {
    at::Tensor big, small, weight;
};

Images random_images(const Shape& s, at::ScalarType type) {
    torch::manual_seed(11);
    return {random({s.batch, s.big_channels, 2 * s.height, 2 * s.width}, type),
            random({s.batch, s.small_channels, s.height, s.width}, type),
            random({s.small_channels, s.big_channels, 4, 4}, type)};
}

Images as(const Images& from, at::ScalarType type) {
    return {channels_last(from.big.to(type)), channels_last(from.small.to(type)),
            channels_last(from.weight.to(type))};
}

struct Results {
    at::Tensor down, up, gradient;
};

/// `up` is what autograd makes of a small image that is the gradient of `down`.
Results by_autograd(const Images& images) {
    const auto big = images.big.clone().requires_grad_();
    const auto weight = images.weight.clone().requires_grad_();
    const auto small = torch::conv2d(big, weight, {}, 2, 1);
    small.backward(images.small);
    return {small.detach(), big.grad(), weight.grad()};
}

Results by_aten(const Images& i) {
    const auto [up, gradient, bias] =
        at::convolution_backward(i.small, i.big, i.weight, {}, {2, 2}, {1, 1}, {1, 1}, false,
                                 {0, 0}, 1, {true, true, false});
    return {torch::conv2d(i.big, i.weight, {}, 2, 1), up, gradient};
}

Results by_ours(const Images& i) {
    const auto leaf = channels_last(torch::full(i.weight.sizes(), NAN, at::kFloat));
    strided::weight_gradient(i.big, i.small, leaf);
    return {strided::down(i.big, i.weight), strided::up(i.small, i.weight), leaf};
}

/// A gradient by one of the ways, whichever the processor takes.
template <class T, class Run>
at::Tensor gradient_by(Run run, const Images& i) {
    const auto leaf = channels_last(torch::full(i.weight.sizes(), NAN, at::kFloat));
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

/// The largest difference relative to the largest number.
double apart(const at::Tensor& a, const at::Tensor& truth) {
    if (a.sizes() != truth.sizes()) return INFINITY;
    const auto difference = (a.to(at::kDouble) - truth).abs().max().item<double>();
    return std::isnan(difference) ? INFINITY : difference / truth.abs().max().item<double>();
}

/// The difference in the Euclidean norm relative to that of the truth, one rounding at least.
double off(const at::Tensor& a, const at::Tensor& truth) {
    const auto difference = (a.to(at::kDouble) - truth).norm().item<double>();
    return std::max(1e-3, difference / truth.norm().item<double>());
}

void check_equal(const Results& a, const Results& b) {
    CHECK(torch::equal(a.down, b.down));
    CHECK(torch::equal(a.up, b.up));
    CHECK(torch::equal(a.gradient, b.gradient));
}

void info(const Shape& s) {
    UNSCOPED_INFO(s.batch << " of " << s.small_channels << " x " << s.height << " x " << s.width
                          << ", " << s.big_channels << " channels in the big image");
}

/// What a batch of one meets in a named net: each shape of its convolutions of stride 2, once.
std::vector<Shape> shapes_of_nets() {
    std::vector<Shape> all;
    for (const char* name : {"dcgan-64", "dcgan-256", "dcgan-512", "dcgan-1024"}) {
        const auto gan = civitas::net::dcgan(name, 3);
        for (const auto* net : {&gan.generator, &gan.discriminator}) {
            auto shape = net->input;
            for (const auto& layer : net->layers) {
                const auto in = std::exchange(shape, civitas::net::output_of(layer, shape));
                const auto& small = in.height < shape.height ? in : shape;
                const auto& big = in.height < shape.height ? shape : in;
                const Shape found{1, small.channels, big.channels, small.height, small.width};
                if (small.height > 1 && big.height == 2 * small.height &&
                    std::find(all.begin(), all.end(), found) == all.end())
                    all.push_back(found);
            }
        }
    }
    return all;
}

/// F(4, 2) magnifies roundings; sums over more channels have more of them.
void check_fp32(const Shape& shape, double most) {
    const auto images = random_images(shape, at::kFloat);
    const auto ours = by_ours(as(images, at::kFloat));
    const auto truth = by_autograd(images);
    info(shape);
    CHECK(apart(ours.down, truth.down) < most);
    CHECK(apart(ours.up, truth.up) < most);
    CHECK(apart(ours.gradient, truth.gradient) < most);
    CHECK(ours.up.is_contiguous(at::MemoryFormat::ChannelsLast));
}

/// What Winograd's bf16 is off by at most, in what ATen's is.
double most_times_off(const Shape& shape) { return shape.height * shape.width == 1 ? 6 : 3; }
/// The same of what `down` and the others compute, which is as near where tiles multiply.
double most_times_off_by_ours(const Shape& shape) {
    return simd::has_amx() ? 1.05 : most_times_off(shape);
}

void check_bf16(const Shape& shape) {
    const auto images = random_images(shape, at::kBFloat16);
    const auto ours = by_ours(as(images, at::kBFloat16));
    const auto aten = by_aten(as(images, at::kBFloat16));
    const auto truth = by_autograd(images);
    const double times = most_times_off_by_ours(shape);
    const auto little_more = [=](const at::Tensor& a, const at::Tensor& b, const at::Tensor& t) {
        UNSCOPED_INFO("ATen is off by " << off(b, t) << " in the norm, ours by " << off(a, t));
        return off(a, t) < times * off(b, t);
    };
    info(shape);
    CHECK(little_more(ours.down, aten.down, truth.down));
    CHECK(little_more(ours.up, aten.up, truth.up));
    CHECK(little_more(ours.gradient, aten.gradient, truth.gradient));
}

}  // namespace

TEST_CASE("convolutions and their gradients are those of autograd in double in fp32") {
    if (!strided::supports(at::kFloat)) return;
    for (const auto& shape : shapes) check_fp32(shape, 2e-6);
    for (const auto& shape : shapes_of_many_weights) check_fp32(shape, 4e-6);
}

// Parts of fp32 may be too small for bf16 to have them, though the number itself is not.
TEST_CASE("numbers near the least that fp32 has do not disturb others") {
    if (!strided::supports(at::kFloat)) return;
    auto images = random_images({2, 40, 64, 4, 4}, at::kFloat);
    const auto tiny = [](const at::Tensor& t, std::int64_t dim) {
        t.narrow(dim, 16, 16).fill_(3e-36);
        t.narrow(dim, 17, 1).fill_(4.6e-41);
    };
    tiny(images.big, 1), tiny(images.small, 1), tiny(images.weight, 0), tiny(images.weight, 1);
    const auto ours = by_ours(as(images, at::kFloat));
    const auto truth = by_autograd(images);
    CHECK(apart(ours.down, truth.down) < 2e-6);
    CHECK(apart(ours.up, truth.up) < 2e-6);
    CHECK(apart(ours.gradient, truth.gradient) < 2e-6);
}

// Winograd's sums and differences are rounded before they are multiplied: 1.5 to 2.8 times as far
// off, and at most 4.7 times in an image of one pixel, where nearly all of what is multiplied
// cancels.
TEST_CASE("convolutions in bf16 are off by little more than those of ATen") {
    if (!strided::supports(at::kBFloat16)) return;
    for (const auto& shape : shapes) check_bf16(shape);
    for (const auto& shape : shapes_of_many_weights) check_bf16(shape);
}

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
        const auto leaf =
            gradient_of_any_threads<c10::BFloat16>(strided::run_gradient<c10::BFloat16>, rounded);
        const auto truth = by_autograd(images).gradient;
        info(shape);
        CHECK(off(leaf, truth) < most_times_off(shape) * off(by_aten(rounded).gradient, truth));
    }
}

// A minute: run by hand, test_strided_torch '[named nets]'.
TEST_CASE("the same holds for every shape of every named net", "[.][named nets]") {
    for (const auto& shape : shapes_of_nets()) {
        if (strided::supports(at::kFloat)) check_fp32(shape, 8e-6);
        if (strided::supports(at::kBFloat16)) check_bf16(shape);
    }
}

TEST_CASE("convolutions give the same bits on any number of threads") {
    const int before = at::get_num_threads();
    auto all = shapes;
    all.push_back(shapes_of_many_weights.back());
    for (const auto type : {at::kFloat, at::kBFloat16}) {
        if (!strided::supports(type)) continue;
        for (const auto& shape : all) {
            const auto images = as(random_images(shape, type), type);
            at::set_num_threads(1);
            const auto alone = by_ours(images);
            for (const int threads : {2, 4}) {
                at::set_num_threads(threads);
                info(shape);
                check_equal(by_ours(images), alone);
            }
        }
    }
    at::set_num_threads(before);
}

TEST_CASE("images without pixels or channels are refused") {
    if (!strided::supports(at::kFloat)) return;
    const auto image = [](std::int64_t channels, std::int64_t width) {
        return channels_last(torch::zeros({2, channels, 4, width}));
    };
    const auto weight = channels_last(torch::zeros({5, 3, 4, 4}));
    CHECK_THROWS_WITH(strided::down(image(3, 0), weight), Catch::Contains("have pixels"));
    CHECK_THROWS_WITH(strided::up(image(5, 0), weight), Catch::Contains("have pixels"));
    CHECK_THROWS_WITH(strided::down(image(0, 4), channels_last(torch::zeros({5, 0, 4, 4}))),
                      Catch::Contains("have pixels"));
    CHECK_THROWS_WITH(strided::up(image(0, 4), channels_last(torch::zeros({0, 3, 4, 4}))),
                      Catch::Contains("have pixels"));
    CHECK(strided::down(image(3, 4).narrow(0, 0, 0), weight).size(0) == 0);
}

TEST_CASE("the bits of an image do not depend on its batch") {
    for (const auto type : {at::kFloat, at::kBFloat16}) {
        if (!strided::supports(type)) continue;
        for (const Shape& shape :
             {Shape{5, 40, 33, 6, 5}, Shape{4, 96, 40, 61, 13}, Shape{70, 40, 33, 3, 4}}) {
            info(shape);
            const auto images = as(random_images(shape, type), type);
            const auto of = [](const at::Tensor& t) { return channels_last(t.narrow(0, 3, 1)); };
            CHECK(torch::equal(of(strided::down(images.big, images.weight)),
                               strided::down(of(images.big), images.weight)));
            CHECK(torch::equal(of(strided::up(images.small, images.weight)),
                               strided::up(of(images.small), images.weight)));
        }
    }
}
