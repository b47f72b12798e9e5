#include "cases.hpp"

#include "civitas/net/fuse.hpp"

// Residual blocks against autograd.

using namespace civitas;
using namespace civitas::nn;
using namespace civitas::nn::test;

namespace {

using Layers = std::vector<net::LayerDescription>;

Layers two_convolutions(std::int64_t in, std::int64_t out, std::int64_t stride) {
    return {{"b.conv1", net::Convolution{sizes(in, out, 3, stride, 1)}},
            {"b.bn1", net::BatchNorm{out}},
            {"b.relu1", net::LeakyRelu{0}},
            {"b.conv2", net::Convolution{sizes(out, out, 3, 1, 1)}},
            {"b.bn2", net::BatchNorm{out}}};
}

/// Every shape of a block: with and without a shortcut of its own and an activation, one in
/// another, and with layers whose input or output others share.
std::vector<Case> blocks() {
    const Layers projection{{"b.downsample.0", net::Convolution{sizes(6, 9, 1, 2, 0)}},
                            {"b.downsample.1", net::BatchNorm{9}}};
    const net::Residual inner{two_convolutions(5, 5, 1), {}, net::LeakyRelu{0.1}};
    Layers around = {{"b.norm", net::BatchNorm{5}}, {"b.inner", inner}};
    const auto biased = [](std::int64_t in, std::int64_t out) {
        return net::Convolution{with_bias(sizes(in, out, 3, 1, 1))};
    };
    std::vector<Case> all;
    const auto add = [&](const char* name, net::Residual block, std::vector<std::int64_t> input) {
        all.push_back({{name, std::move(block)}, std::move(input)});
    };
    add("identity", {two_convolutions(6, 6, 1), {}}, {3, 6, 7, 5});
    add("projection", {two_convolutions(6, 9, 2), projection}, {3, 6, 7, 5});
    add("no_activation", {two_convolutions(6, 6, 1), {}, std::nullopt}, {3, 6, 7, 5});
    add("in_one_another", {around, {}}, {3, 5, 4, 6});
    add("same_gradient", {{{"b.a", biased(4, 6)}}, {{"b.b", biased(4, 6)}}, std::nullopt},
        {3, 4, 5, 5});
    add("pools",
        {{{"b.max", net::MaxPool{3, 1, 1}}, {"b.relu", net::LeakyRelu{0}}},
         {{"b.norm", net::BatchNorm{4}}}},
        {3, 4, 5, 5});
    return all;
}

void check(const Layers& layers, const Case& c, at::ScalarType type, double tolerance) {
    const auto numbers = random_numbers(layers, type);
    const auto x = random_like(c.input, type, 3);
    const auto gy = random_like(output_shape(c), type, 5);
    const auto ours = run(make_stage(layers, numbers), numbers, x, gy);
    const auto truth = run_twin(twin_net({c.layer}, numbers), x, gy);
    INFO(c.layer.name << " in " << c10::toString(type));
    CHECK(ours.y.scalar_type() == type);
    CHECK(ours.y.is_contiguous(at::MemoryFormat::ChannelsLast));
    CHECK(ours.gx.is_contiguous(at::MemoryFormat::ChannelsLast));
    CHECK(apart(ours.y, truth.y) < tolerance);
    CHECK(apart(ours.gx, truth.gx) < tolerance);
    REQUIRE(ours.gradients.size() == truth.gradients.size());
    for (std::size_t i = 0; i < truth.gradients.size(); ++i)
        CHECK(apart(ours.gradients[i], truth.gradients[i]) < tolerance);
    // The gradient of the input may be left out, and W then does what B would have done.
    const auto alone = run(make_stage(layers, numbers), numbers, x, gy, false);
    CHECK_FALSE(alone.gx.defined());
    for (std::size_t i = 0; i < truth.gradients.size(); ++i)
        CHECK(torch::equal(alone.gradients[i], ours.gradients[i]));
}

}  // namespace

TEST_CASE("F, B and W of residual blocks are those of autograd") {
    for (const Case& c : blocks()) {
        check({c.layer}, c, at::kDouble, 1e-10);
        check({c.layer}, c, at::kFloat, 2e-5);
        check({c.layer}, c, at::kBFloat16, 0.12);
        check(net::fuse({"net", {}, by_ours(c, at::kFloat)}).layers, c, at::kFloat, 2e-5);
    }
}

TEST_CASE("outside of training a block uses the running statistics") {
    for (const Case& c : blocks()) {
        const Layers layers{c.layer};
        const auto numbers = random_numbers(layers, at::kDouble);
        auto net = twin_net(layers, numbers);
        net->eval();
        const auto x = random_like(c.input, at::kDouble, 3);
        const auto before = x.clone();
        INFO(c.layer.name);
        CHECK(apart(make_stage(layers, numbers).evaluate(x), net->forward(x)) < 1e-12);
        CHECK(torch::equal(x, before));
    }
}

TEST_CASE("a block tells the statistics of its batch norms in the order of its buffers") {
    const Case c = blocks()[1];
    const auto numbers = random_numbers({c.layer}, at::kDouble);
    const auto x = random_like(c.input, at::kDouble, 3);
    auto net = twin_net({c.layer}, numbers);
    for (const auto& module : net->modules())
        if (auto* norm = module->as<torch::nn::BatchNorm2dImpl>()) norm->options.momentum(1.0);
    (void)net->forward(x);
    Stage::Context kept;
    (void)make_stage({c.layer}, numbers).forward(x, kept);
    const auto buffers = net->named_buffers();
    std::vector<at::Tensor> running;
    for (const auto& [name, value] : buffers.pairs())
        if (name.find("running") != std::string::npos) running.push_back(value);
    const auto& statistics = kept.saved[0].statistics;
    REQUIRE(statistics.size() == 3);
    REQUIRE(running.size() == 6);
    for (std::size_t i = 0; i < statistics.size(); ++i) {
        CHECK(apart(statistics[i].mean_C, running[2 * i]) < 1e-12);
        CHECK(apart(statistics[i].variance_C, running[2 * i + 1]) < 1e-12);
    }
}

TEST_CASE("several micro-batches of a block are kept apart, and W drops what is kept") {
    const Case c = blocks()[1];
    const Layers layers{c.layer};
    const auto numbers = random_numbers(layers, at::kFloat);
    const auto stage = make_stage(layers, numbers);
    const auto x = random_like(c.input, at::kFloat, 3);
    const auto gy = random_like(output_shape(c), at::kFloat, 5);
    const auto alone = run(stage, numbers, x, gy);
    Stage::Context mine, other;
    (void)stage.forward(x, mine);
    (void)stage.forward(x.neg(), other);
    CHECK(torch::equal(stage.backward_input(gy, mine, true, true), alone.gx));
    (void)stage.backward_input(gy.neg(), other, true, false);
    CHECK(other.bytes() == 0);
    const auto leaf = blank_leaf(numbers.layers[0]);
    stage.backward_weights(0, mine, leaf);
    for (std::size_t i = 0; i < leaf.size(); ++i) CHECK(torch::equal(leaf[i], alone.gradients[i]));
    CHECK(mine.bytes() == 0);
}
