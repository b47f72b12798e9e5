#include "cases.hpp"

#include "civitas/net/description.hpp"
#include "civitas/simd/instruction_set.hpp"
#include "civitas/strided/convolution.hpp"

#include <ATen/Parallel.h>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

using namespace civitas;
using namespace strided::test;

namespace {

/// More weights than a cache has, for strips of images and for images as a whole.
const std::vector<Shape> shapes_of_many_weights{
    {5, 100, 330, 21, 21}, {2, 200, 300, 17, 16}, {9, 40, 300, 4, 4}, {2, 300, 100, 2, 3}};

Results by_ours(const Images& i) {
    const auto leaf = leaf_of(i);
    strided::weight_gradient(i.big, i.small, leaf);
    return {strided::down(i.big, i.weight), strided::up(i.small, i.weight), leaf};
}

void check_equal(const Results& a, const Results& b) {
    CHECK(torch::equal(a.down, b.down));
    CHECK(torch::equal(a.up, b.up));
    CHECK(torch::equal(a.gradient, b.gradient));
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

/// What ours in bf16 is off by at most, in what ATen's is: tiles are as near as ATen.
double most_times_off_by_ours(const Shape& shape, int m) {
    return simd::has_amx() ? 1.05 : most_times_off(shape, m);
}

void check_bf16(const Shape& shape) {
    const auto images = random_images(shape, at::kBFloat16);
    const auto ours = by_ours(as(images, at::kBFloat16));
    const auto aten = by_aten(as(images, at::kBFloat16));
    const auto truth = by_autograd(images);
    const double times = most_times_off_by_ours(shape, strided::size_of_patches(extent_of(shape)));
    const double times_up =
        most_times_off_by_ours(shape, strided::size_of_patches_up<c10::BFloat16>(extent_of(shape)));
    const auto at_most = [](double most, const at::Tensor& a, const at::Tensor& b,
                            const at::Tensor& t) {
        UNSCOPED_INFO("ATen is off by " << off(b, t) << " in the norm, ours by " << off(a, t));
        return off(a, t) < most * off(b, t);
    };
    info(shape);
    CHECK(at_most(times, ours.down, aten.down, truth.down));
    CHECK(at_most(times_up, ours.up, aten.up, truth.up));
    CHECK(at_most(times, ours.gradient, aten.gradient, truth.gradient));
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
// off by F(2, 2) and F(3, 2), up to 4.2 times by F(4, 2), and at most 4.7 times in an image of one
// pixel, where nearly all of what is multiplied cancels.
TEST_CASE("convolutions in bf16 are off by little more than those of ATen") {
    if (!strided::supports(at::kBFloat16)) return;
    for (const auto& shape : shapes) check_bf16(shape);
    for (const auto& shape : shapes_of_many_weights) check_bf16(shape);
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
    all.insert(all.end(), shapes_of_many_weights.begin(), shapes_of_many_weights.end());
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
             {Shape{5, 40, 33, 6, 5}, Shape{5, 96, 40, 61, 13}, Shape{180, 40, 33, 3, 4},
              Shape{70, 40, 300, 3, 4}, Shape{70, 1100, 33, 3, 4}}) {
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
