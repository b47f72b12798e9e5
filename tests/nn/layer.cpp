#include "cases.hpp"

#include "civitas/base/error.hpp"

#include <array>

using namespace civitas;
using namespace civitas::nn;
using namespace civitas::nn::test;
using Catch::Contains;

namespace {

constexpr std::array with_ours_or_without{false, true};

void check_against_autograd(const Case& c, at::ScalarType type, double tolerance, bool ours_too) {
    const auto layers = ours_too ? by_ours(c, type) : std::vector{c.layer};
    const auto numbers = random_numbers(layers, type);
    const auto x = random_like(c.input, type, 3);
    const auto gy = random_like(output_shape(c), type, 5);
    const auto ours = run(make_stage(layers, numbers), numbers, x, gy);
    const auto truth = run_twin(twin_net(layers, numbers), x, gy);
    INFO(c.layer.name << " in " << c10::toString(type) << (ours_too ? ", fast" : ""));
    CHECK(ours.y.scalar_type() == type);
    CHECK(ours.gx.scalar_type() == type);
    CHECK(apart(ours.y, truth.y) < tolerance);
    CHECK(apart(ours.gx, truth.gx) < tolerance);
    REQUIRE(ours.gradients.size() == truth.gradients.size());
    for (std::size_t i = 0; i < truth.gradients.size(); ++i)
        CHECK(apart(ours.gradients[i], truth.gradients[i]) < tolerance);
}

}  // namespace

TEST_CASE("F, B and W of every layer are those of autograd in double") {
    for (const bool ours : with_ours_or_without)
        for (const auto& c : cases()) check_against_autograd(c, at::kDouble, 1e-10, ours);
}

TEST_CASE("F, B and W of every layer agree with autograd in fp32") {
    for (const bool ours : with_ours_or_without)
        for (const auto& c : cases()) check_against_autograd(c, at::kFloat, 1e-5, ours);
}

TEST_CASE("bf16 layers agree with autograd within the rounding of their inputs and outputs") {
    for (const bool ours : with_ours_or_without)
        for (const auto& c : cases()) check_against_autograd(c, at::kBFloat16, 0.01, ours);
}

TEST_CASE("activations stay channels-last") {
    for (const auto type : {at::kFloat, at::kDouble, at::kBFloat16}) {
        for (const auto& c : cases()) {
            const auto layers = by_ours(c, type);
            const auto numbers = random_numbers(layers, type);
            const auto gy = random_like(output_shape(c), type, 5);
            const auto stage = make_stage(layers, numbers);
            const auto r = run(stage, numbers, random_like(c.input, type, 3), gy);
            INFO(c.layer.name << " in " << c10::toString(type));
            CHECK(r.y.is_contiguous(at::MemoryFormat::ChannelsLast));
            CHECK(r.gx.is_contiguous(at::MemoryFormat::ChannelsLast));
        }
    }
}

TEST_CASE(
    "batch norm tells what PyTorch would add to the running statistics and leaves them alone") {
    const std::vector<net::LayerDescription> layers{{"norm", net::BatchNorm{7}}};
    for (const auto type : {at::kDouble, at::kFloat, at::kBFloat16}) {
        const double tolerance = type == at::kDouble ? 1e-12 : 1e-5;
        const auto numbers = random_numbers(layers, type);
        const auto before = numbers.layers[0].buffers[0].clone();
        const auto x = random_like({3, 7, 5, 4}, type, 3);
        const auto ours = run(make_stage(layers, numbers), numbers, x, x);
        auto oracle = torch::nn::BatchNorm2d(torch::nn::BatchNorm2dOptions(7).momentum(1.0));
        oracle->to(at::kDouble);
        (void)oracle->forward(x.to(at::kDouble));
        REQUIRE(ours.statistics.size() == 1);
        CHECK(apart(ours.statistics[0].mean_C, oracle->running_mean) < tolerance);
        CHECK(apart(ours.statistics[0].variance_C, oracle->running_var) < tolerance);
        CHECK(ours.statistics[0].mean_C.scalar_type() ==
              numbers.layers[0].buffers[0].scalar_type());
        CHECK(torch::equal(before, numbers.layers[0].buffers[0]));
    }
}

TEST_CASE("generation uses the running statistics") {
    for (const auto& c : cases()) {
        const std::vector<net::LayerDescription> layers{c.layer};
        const auto numbers = random_numbers(layers, at::kDouble);
        auto net = twin_net(layers, numbers);
        net->eval();
        const auto x = random_like(c.input, at::kDouble, 3);
        INFO(c.layer.name);
        CHECK(apart(make_stage(layers, numbers).evaluate(x), net->forward(x)) < 1e-12);
    }
}

TEST_CASE("W of a batch norm whose B was left out gives the same leaf") {
    const std::vector<net::LayerDescription> layers{{"norm", net::BatchNorm{7}}};
    const auto numbers = random_numbers(layers, at::kFloat);
    const auto stage = make_stage(layers, numbers);
    const auto x = random_like({3, 7, 5, 4}, at::kFloat, 3);
    const auto gy = random_like({3, 7, 5, 4}, at::kFloat, 4);
    const auto whole = run(stage, numbers, x, gy, true);
    const auto part = run(stage, numbers, x, gy, false);
    CHECK(!part.gx.defined());
    for (std::size_t i = 0; i < 2; ++i) CHECK(torch::equal(whole.gradients[i], part.gradients[i]));
}

TEST_CASE("views may change between calls") {
    const std::vector<net::LayerDescription> layers{
        {"conv", net::Convolution{sizes(3, 4, 4, 2, 1)}}};
    const auto numbers = random_numbers(layers, at::kDouble);
    const auto stage = make_stage(layers, numbers);
    const auto x = random_like({2, 3, 8, 8}, at::kDouble, 3);
    const auto before = stage.evaluate(x);
    numbers.layers[0].parameters[0].mul_(2);
    CHECK(apart(stage.evaluate(x), 2 * before) < 1e-14);
}

TEST_CASE("one value per channel has no variance, and is refused with the layer's name") {
    const std::vector<net::LayerDescription> layers{{"norm3", net::BatchNorm{7}}};
    const auto numbers = random_numbers(layers, at::kFloat);
    const auto stage = make_stage(layers, numbers);
    Stage::Context kept;
    CHECK_THROWS_WITH(
        stage.forward(torch::randn({1, 7, 1, 1}), kept),
        Contains("batch norm norm3 has 1 value per channel (micro-batch 1 of 1 x 1)") &&
            Contains("--micro-batch"));
}

TEST_CASE("views of the wrong shape are a broken promise") {
    const net::LayerDescription layer{"conv", net::Convolution{sizes(3, 4, 4, 2, 1)}};
    CHECK_THROWS_AS(make_layer(layer, {{torch::zeros({4, 3, 4, 3})}, {}}), Error);
    CHECK_THROWS_AS(make_layer(layer, {{}, {}}), Error);
    CHECK_THROWS_AS(
        make_layer({"norm", net::BatchNorm{2}}, {{torch::zeros({2}), torch::zeros({2})},
                                                 {torch::zeros({2}), torch::zeros({3})}}),
        Error);
}
