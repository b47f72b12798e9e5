#include "oracle.hpp"
#include "torch_classifiers.hpp"

#include "civitas/net/classifiers.hpp"
#include "civitas/net/fuse.hpp"
#include "civitas/net/own_kernel.hpp"
#include "civitas/planner/layer_costs.hpp"

// Whole classifiers against modules of torch::nn that are written as torchvision writes them; and
// what they keep against what is counted.

using namespace civitas;
using namespace civitas::nn;
using namespace civitas::nn::test;

namespace {

constexpr SampleRange seen_samples{Seed{3}, Sample{100}};

/// One F, B and W of the net in fp64, and of `truth` with the same weights by name.
template <class Module>
void check_against(Module& truth, const net::NetDescription& net, std::int64_t batch) {
    truth.to(at::kDouble);
    auto numbers = random_numbers(net.layers, at::kDouble);
    std::map<std::string, std::size_t> place;
    std::vector<at::Tensor> weights;
    for (std::size_t i = 0; i < net.layers.size(); ++i) {
        const auto specs = net::parameters_of(net.layers[i]);
        for (std::size_t p = 0; p < specs.size(); ++p) {
            const auto& view = numbers.layers[i].parameters[p];
            if (view.dim() > 1) view.mul_(specs[p].deviation / 0.2);
            place[specs[p].name] = weights.size();
            weights.push_back(view);
        }
    }
    auto parameters = truth.named_parameters();
    REQUIRE(parameters.size() == weights.size());
    {
        const torch::NoGradGuard no_gradient;
        for (auto& parameter : parameters)
            parameter.value().copy_(weights.at(place.at(parameter.key())));
    }
    const auto x =
        random_like({batch, net.input.channels, net.input.height, net.input.width}, at::kDouble, 3);
    const auto shape = net::shapes_of(net).back();
    const auto gy = random_like({batch, shape.channels, 1, 1}, at::kDouble, 5);
    const auto stage = make_stage(net.layers, numbers);
    Stage::Context kept;
    kept.samples = seen_samples;
    const auto y = stage.forward(x, kept);
    const auto input = x.contiguous().clone().requires_grad_();
    const auto expected = truth.forward(input);
    expected.backward(gy.flatten(1));
    CHECK(apart(y.flatten(1), expected) < 1e-9);
    CHECK(apart(stage.backward_input(gy, kept, true, true), input.grad()) < 1e-8);
    std::size_t at = 0;
    std::vector<at::Tensor> gradients(weights.size());
    for (std::size_t i = 0; i < net.layers.size(); ++i) {
        const auto leaf = blank_leaf(numbers.layers[i]);
        stage.backward_weights(i, kept, leaf);
        for (const auto& g : leaf) gradients[at++] = g;
    }
    for (const auto& parameter : parameters) {
        INFO(parameter.key());
        CHECK(apart(gradients.at(place.at(parameter.key())), parameter.value().grad()) < 1e-8);
    }
}

net::NetDescription fast(const net::NetDescription& net) {
    return net::fuse(
        net::with_kernels(net, {.choice = net::KernelChoice(net::KernelSet::fast), .host = {}}));
}

/// Bytes after F, and after B.
void check_bytes(const net::NetDescription& net, std::int64_t batch, at::ScalarType type) {
    const auto numbers = random_numbers(net.layers, type);
    const auto stage = make_stage(net.layers, numbers);
    const planner::ValueBytes values{.compute = type == at::kBFloat16 ? 2 : 4, .master = 4};
    const auto shapes = net::shapes_of(net);
    const auto like = [&](net::ImageShape s) {
        return random_like({batch, s.channels, s.height, s.width}, type, 3);
    };
    Stage::Context kept;
    (void)stage.forward(like(shapes.front()), kept);
    INFO(net.layers.front().name << " in " << c10::toString(type));
    CHECK(kept.bytes() == planner::saved_bytes(net, batch, values));
    (void)stage.backward_input(like(shapes.back()), kept, true, true);
    CHECK(kept.bytes() == planner::bytes_from_B_to_W(net, batch, values));
}

}  // namespace

TEST_CASE("resnet-18 is that of torch::nn, layer by layer of the same name") {
    Resnet18 truth(5);
    check_against(truth, net::classifier("resnet-18", 3, 16, 5).net, 3);
}

TEST_CASE("vgg-11 is that of torch::nn, layer by layer of the same name") {
    Vgg11 truth(5, seen_samples);
    check_against(truth, net::classifier("vgg-11", 3, 32, 5).net, 2);
}

TEST_CASE("what F of a classifier saves, and B leaves for W, is what is counted") {
    for (const auto type : {at::kFloat, at::kBFloat16}) {
        for (const char* name : {"resnet-18", "resnet-50"}) {
            auto net = net::classifier(name, 3, 72, 5).net;
            const auto size = static_cast<std::int64_t>(net.layers.size());
            // The stem, blocks with and without projections, and the end.
            for (const Range part : {Range{0, 6}, Range{6, 1}, Range{size - 3, 3}})
                check_bytes(net::part_of(net, part), 2, type);
            check_bytes(net::part_of(fast(net), {0, 6}), 2, type);
        }
        const auto vgg = net::classifier("vgg-11", 3, 64, 5).net;
        check_bytes(net::part_of(vgg, {0, 14}), 2, type);
        check_bytes(net::part_of(vgg, {20, 5}), 2, type);
    }
}
