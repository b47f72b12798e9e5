#include "support/tensor.hpp"

#include "civitas/data/coding.hpp"
#include "civitas/data/post_process.hpp"

using namespace civitas;
using namespace civitas::data;

namespace {

/// By libtorch's convolution, in fp64.
at::Tensor filtered(const at::Tensor& x_CHW, std::int64_t passes) {
    const at::Tensor line = torch::tensor({1.0, 2.0, 1.0}, torch::kFloat64) / 4;
    const at::Tensor kernel = torch::outer(line, line).view({1, 1, 3, 3});
    at::Tensor x = x_CHW.to(torch::kFloat64).unsqueeze(1);
    for (std::int64_t pass = 0; pass < passes; ++pass)
        x = torch::conv2d(torch::replication_pad2d(x, {1, 1, 1, 1}), kernel);
    return x.squeeze(1);
}

/// A plan of open ground with a house: rows and columns [begin, end).
at::Tensor with_house(std::int64_t pixels, std::int64_t begin, std::int64_t end) {
    at::Tensor image = torch::full({3, pixels, pixels}, -1.0F);
    image[2].fill_(1);
    const at::Tensor house = image.slice(1, begin, end).slice(2, begin, end);
    house[0].fill_(1);
    house[2].fill_(-1);
    return image;
}

}  // namespace

TEST_CASE(
    "plans are filtered with a deviation of a 256th of a tile's side, if pixels are as small") {
    CHECK(smoothing_passes(64) == 0);
    CHECK(smoothing_passes(128) == 0);
    CHECK(smoothing_passes(256) == 2);
    CHECK(smoothing_passes(512) == 8);
    CHECK(smoothing_passes(1024) == 32);
}

TEST_CASE("a filtered plan is that of a convolution") {
    torch::manual_seed(5);
    for (const auto& size : {std::array<std::int64_t, 2>{12, 19}, {1, 7}, {6, 1}}) {
        const at::Tensor plan = torch::rand({3, size[0], size[1]}) * 2 - 1;
        for (const std::int64_t pixels : {256, 512})
            CHECK(torch::allclose(smoothed(plan, Coding::colour, pixels).to(torch::kFloat64),
                                  filtered(plan, smoothing_passes(pixels)), 1e-6, 1e-6));
        CHECK(torch::equal(smoothed(plan, Coding::colour, 128), plan));
    }
    const at::Tensor grey = torch::rand({1, 9, 9}) * 2 - 1;
    CHECK(torch::equal(smoothed(grey, Coding::grey, 256), grey));
}

TEST_CASE("smoothing takes specks and teeth away, and leaves houses and whole ground") {
    const auto built = [](const at::Tensor& plan) {
        return (plan.argmax(0) == 0).sum().item<std::int64_t>();
    };
    CHECK(built(smoothed(with_house(256, 8, 9), Coding::colour, 256)) == 0);
    const at::Tensor house = with_house(256, 20, 30);
    at::Tensor with_tooth = house.clone();
    with_tooth[0][25][30] = 1;
    with_tooth[2][25][30] = -1;
    const at::Tensor smooth = smoothed(with_tooth, Coding::colour, 256);
    CHECK(torch::equal(smooth.argmax(0), smoothed(house, Coding::colour, 256).argmax(0)));
    CHECK(built(smooth) == 100 - 4);  // but for its corners
    const at::Tensor ground = with_house(32, 0, 32);
    CHECK(torch::equal(smoothed(ground, Coding::colour, 256), ground));
}

TEST_CASE("roads are joined where outlines are smooth") {
    at::Tensor plan = with_house(256, 250, 256);
    const auto road = [&](std::int64_t begin, std::int64_t end) {
        plan[1].narrow(0, 40, 4).narrow(1, begin, end - begin).fill_(1);
        plan[2].narrow(0, 40, 4).narrow(1, begin, end - begin).fill_(-1);
    };
    road(10, 60);
    road(64, 120);
    const at::Tensor out = post_processed(plan, Coding::colour);
    const at::Tensor by_hand =
        with_closed_gaps(smoothed(plan, Coding::colour, 256), Coding::colour, 256);
    CHECK(torch::equal(out, by_hand));
    CHECK((out.argmax(0).slice(0, 40, 44).slice(1, 60, 64) == 1).any(0).all().item<bool>());
    const at::Tensor part = plan.slice(1, 0, 64).slice(2, 0, 64);
    CHECK(torch::equal(post_processed(part, Coding::colour),
                       with_closed_gaps(part, Coding::colour, 64)));
}
