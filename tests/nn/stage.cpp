#include "oracle.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>

using namespace civitas;
using namespace civitas::nn;
using namespace civitas::nn::test;

namespace {

net::GanDescription narrow() {
    net::GanOverrides changes;
    changes.nz = 12;
    changes.generator_widths = {24, 16, 12, 8};
    changes.discriminator_widths = {8, 12, 16, 24};
    return net::dcgan("dcgan-64", 3, changes);
}

std::vector<std::int64_t> batch_of(std::int64_t count, net::ImageShape s) {
    return {count, s.channels, s.height, s.width};
}

struct Inputs {
    at::Tensor x, gy;
};

Inputs inputs_of(const net::NetDescription& net, std::int64_t count, at::ScalarType type) {
    const auto shapes = net::shapes_of(net);
    return {random_like(batch_of(count, shapes.front()), type, 3),
            random_like(batch_of(count, shapes.back()), type, 5)};
}

void check_net(const net::NetDescription& net, at::ScalarType type, double tolerance) {
    const auto numbers = random_numbers(net.layers, type);
    const auto [x, gy] = inputs_of(net, 4, type);
    const auto ours = run(make_stage(net.layers, numbers), numbers, x, gy);
    const auto truth = run_twin(twin_net(net.layers, numbers), x, gy);
    INFO(net.name << " in " << c10::toString(type));
    CHECK(apart(ours.y, truth.y) < tolerance);
    CHECK(apart(ours.gx, truth.gx) < tolerance);
    REQUIRE(ours.gradients.size() == truth.gradients.size());
    for (std::size_t i = 0; i < truth.gradients.size(); ++i) {
        INFO("parameter " << net::parameters_of(net)[i].name);
        CHECK(apart(ours.gradients[i], truth.gradients[i]) < tolerance);
    }
}

std::size_t defined_gys(const Stage::Context& kept) {
    return static_cast<std::size_t>(std::count_if(kept.gys.begin(), kept.gys.end(),
                                                  [](const auto& gy) { return gy.defined(); }));
}

/// Convolution, batch norm, activation, convolution: 2 x 8 x 8 x 8 in between.
net::NetDescription small_net() {
    return {"small",
            {3, 16, 16},
            {{"conv0", net::Convolution{{3, 8, 4, 2, 1}}},
             {"norm0", net::BatchNorm{8}},
             {"leaky0", net::LeakyRelu{0.2}},
             {"conv1", net::Convolution{{8, 5, 4, 2, 1}}}}};
}

}  // namespace

TEST_CASE("whole G and D of dcgan-64 are those of torch::nn with autograd") {
    const auto gan = narrow();
    for (const auto* net : {&gan.generator, &gan.discriminator}) {
        check_net(*net, at::kDouble, 1e-10);
        check_net(*net, at::kFloat, 1e-4);
    }
}

TEST_CASE("running the stages of a net one after the other is running the net") {
    const auto net = narrow().discriminator;
    const auto numbers = random_numbers(net.layers, at::kFloat);
    const auto [x, gy] = inputs_of(net, 3, at::kFloat);
    const auto whole = run(make_stage(net.layers, numbers), numbers, x, gy);
    for (const std::ptrdiff_t cut : {1, 2, 3, 7}) {
        const auto part = [&](std::ptrdiff_t from, std::ptrdiff_t to) {
            return std::vector(net.layers.begin() + from, net.layers.begin() + to);
        };
        const auto end = static_cast<std::ptrdiff_t>(net.layers.size());
        const Numbers first{{numbers.layers.begin(), numbers.layers.begin() + cut}};
        const Numbers second{{numbers.layers.begin() + cut, numbers.layers.end()}};
        const auto head = make_stage(part(0, cut), first);
        const auto tail = make_stage(part(cut, end), second);
        Stage::Context unused;
        const auto late = run(tail, second, head.forward(x, unused), gy);
        const auto early = run(head, first, x, late.gx);
        CHECK(torch::equal(late.y, whole.y));
        CHECK(torch::equal(early.gx, whole.gx));
        for (std::size_t i = 0; i < early.gradients.size(); ++i)
            CHECK(torch::equal(early.gradients[i], whole.gradients[i]));
        for (std::size_t i = 0; i < late.gradients.size(); ++i)
            CHECK(torch::equal(late.gradients[i], whole.gradients[early.gradients.size() + i]));
    }
}

TEST_CASE("a micro-batch gives equal bits whatever ran before or between, and run again") {
    const auto gan = narrow();
    for (const auto type : {at::kFloat, at::kBFloat16}) {
        for (const auto* net : {&gan.generator, &gan.discriminator}) {
            const auto numbers = random_numbers(net->layers, type);
            const auto stage = make_stage(net->layers, numbers);
            const auto [x, gy] = inputs_of(*net, 5, type);
            const auto alone = run(stage, numbers, x, gy);
            Stage::Context mine, other;
            const auto noise = inputs_of(*net, 8, type).x.mul(-3);
            (void)stage.forward(noise, other);
            const auto y = stage.forward(x, mine);
            (void)stage.forward(noise, other);
            CHECK(torch::equal(y, alone.y));
            CHECK(torch::equal(stage.backward_input(gy, mine, true, true), alone.gx));
            const auto again = run(stage, numbers, x.clone(at::MemoryFormat::Preserve), gy);
            for (std::size_t i = 0; i < alone.gradients.size(); ++i)
                CHECK(torch::equal(alone.gradients[i], again.gradients[i]));
        }
    }
}

TEST_CASE("W may run in any order of layers, and long after B") {
    const auto net = small_net();
    const auto numbers = random_numbers(net.layers, at::kFloat);
    const auto stage = make_stage(net.layers, numbers);
    const auto [x, gy] = inputs_of(net, 2, at::kFloat);
    const auto expected = run(stage, numbers, x, gy);
    Stage::Context kept, other;
    (void)stage.forward(x, kept);
    (void)stage.backward_input(gy, kept, false, true);
    (void)stage.forward(x.neg(), other);
    (void)stage.backward_input(gy, other, false, true);
    for (std::size_t i = stage.size(); i-- > 0;) {
        const auto leaf = blank_leaf(numbers.layers[i]);
        stage.backward_weights(i, kept, leaf);
        if (i == 0) CHECK(torch::equal(leaf[0], expected.gradients[0]));
        if (i == 1) CHECK(torch::equal(leaf[1], expected.gradients[2]));
        if (i == 3) CHECK(torch::equal(leaf[0], expected.gradients[3]));
    }
}

TEST_CASE("storages that layers share count once, and everything goes as soon as it may") {
    const auto net = small_net();
    const auto numbers = random_numbers(net.layers, at::kFloat);
    const auto stage = make_stage(net.layers, numbers);
    const auto [x, gy] = inputs_of(net, 2, at::kFloat);
    const std::int64_t input = 2 * 3 * 16 * 16 * 4, middle = 2 * 8 * 8 * 8 * 4;
    const std::int64_t channel = 8 * 4, output = 2 * 5 * 4 * 4 * 4;

    Stage::Context kept;
    (void)stage.forward(x, kept);
    // x, the norm's input and four vectors of it, and one activation that two layers keep.
    CHECK(kept.bytes() == input + 2 * middle + 4 * channel);
    CHECK(kept.saved[2].bytes() == middle);

    (void)stage.backward_input(gy, kept, /*input_gradient=*/false, /*for_weights=*/true);
    // Inputs and output gradients of two convolutions, the norm's two gradients and statistics.
    CHECK(kept.bytes() == input + 2 * middle + output + 4 * channel);
    CHECK(defined_gys(kept) == 2);
    CHECK(kept.saved[2].tensors.empty());
    for (std::size_t i = 0; i < stage.size(); ++i)
        stage.backward_weights(i, kept, blank_leaf(numbers.layers[i]));
    CHECK(kept.bytes() == 0);

    (void)stage.forward(x, kept);
    (void)stage.backward_input(gy, kept, /*input_gradient=*/true, /*for_weights=*/false);
    CHECK(kept.bytes() == 0);
}

TEST_CASE("B without F before it is a broken promise") {
    const auto net = small_net();
    const auto stage = make_stage(net.layers, random_numbers(net.layers, at::kFloat));
    Stage::Context kept;
    CHECK_THROWS_AS(stage.backward_input(torch::zeros({2, 5, 4, 4}), kept, true, true), Error);
}
