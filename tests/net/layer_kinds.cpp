#include "civitas/net/layer_kinds.hpp"
#include "civitas/net/classifiers.hpp"

#include "civitas/base/error.hpp"
#include "civitas/net/arena_slices.hpp"
#include "civitas/net/fuse.hpp"
#include "civitas/net/own_kernel.hpp"
#include "civitas/net/tensor_split.hpp"

#include <catch2/catch.hpp>

using namespace civitas;
using namespace civitas::net;
using Catch::Contains;

namespace {

ImageShape after(const LayerKind& kind, ImageShape input) {
    return output_of({"layer", kind}, input);
}

/// A block that halves the pixels, between two other layers.
NetDescription net_with_block() {
    const Residual block{
        {{"b.conv1", Convolution{{8, 12, 3, 2, 1}}},
         {"b.bn1", BatchNorm{12}},
         {"b.relu1", LeakyRelu{0}},
         {"b.conv2", Convolution{{12, 16, 3, 1, 1}}}},
        {{"b.downsample.0", Convolution{{8, 16, 1, 2, 0}}}, {"b.downsample.1", BatchNorm{16}}}};
    return {"net",
            {8, 9, 9},
            {{"b", block}, {"pool", AdaptiveAveragePool{2, 2}}, {"fc", Linear{64, 5}}}};
}

const Residual& block_of(const NetDescription& net) {
    return std::get<Residual>(net.layers.at(0).kind);
}

std::vector<std::string> names_of(const std::vector<ParameterSpec>& parameters) {
    std::vector<std::string> names;
    for (const auto& p : parameters) names.push_back(p.name);
    return names;
}

constexpr KernelHost here{.instructions = {.vectors = true}};
KernelOptions by(std::string_view choice) {
    return {.choice = KernelChoice::parse(choice), .host = here};
}

}  // namespace

TEST_CASE("new kinds give the shapes of PyTorch's modules") {
    CHECK(after(MaxPool{3, 2, 1}, {4, 9, 10}) == ImageShape{4, 5, 5});
    CHECK(after(MaxPool{2, 2, 0}, {4, 9, 10}) == ImageShape{4, 4, 5});
    CHECK(after(MaxPool{5, 1, 2}, {4, 3, 3}) == ImageShape{4, 3, 3});
    CHECK(after(AdaptiveAveragePool{7, 3}, {4, 5, 5}) == ImageShape{4, 7, 3});
    CHECK(after(Dropout{0}, {4, 5, 6}) == ImageShape{4, 5, 6});
    CHECK(after(Linear{4 * 5 * 6, 3}, {4, 5, 6}) == ImageShape{3, 1, 1});
    CHECK(shapes_of(net_with_block())[1] == ImageShape{16, 5, 5});
    CHECK(forward_flops({"fc", Linear{120, 3}}, {4, 5, 6}) == 2 * 120 * 3);
    CHECK(forward_flops(net_with_block()) ==
          2 * 25 * (8 * 12 * 9 + 12 * 16 * 9 + 8 * 16) + 2 * 64 * 5);
}

TEST_CASE("layers that do not fit their input, or cannot be, are refused by name") {
    CHECK_THROWS_AS(after(Linear{7, 3}, {4, 5, 6}), UsageError);
    CHECK_THROWS_WITH(after(Linear{7, 3}, {4, 5, 6}),
                      Contains("layer layer takes 7 values, the input has 120 (4 x 5 x 6)") &&
                          Contains("Hint: a linear layer takes all values"));
    CHECK_THROWS_WITH(after(Linear{120, 0}, {4, 5, 6}),
                      Contains("layer layer has 120 to 0 values") && Contains("Hint: at least"));
    CHECK_THROWS_WITH(after(MaxPool{3, 2, 2}, {4, 5, 6}),
                      Contains("layer layer has kernel 3, stride 2, padding 2") &&
                          Contains("Hint: kernel and stride start at 1"));
    CHECK_THROWS_WITH(after(MaxPool{3, 0, 1}, {4, 5, 6}), Contains("stride 0"));
    CHECK_THROWS_WITH(after(MaxPool{9, 2, 1}, {4, 5, 6}),
                      Contains("with kernel 9 and padding 1 does not fit an input of 4 x 5 x 6"));
    CHECK_THROWS_WITH(
        after(AdaptiveAveragePool{0, 3}, {4, 5, 6}),
        Contains("layer layer gives means of 0 x 3 windows") && Contains("Hint: at least 1 x 1"));
    for (const double p : {-0.1, 1.0})
        CHECK_THROWS_WITH(after(Dropout{p}, {4, 5, 6}),
                          Contains("layer layer drops values with probability") &&
                              Contains("Hint: from 0 to below 1"));
    CHECK_THROWS_WITH(after(Residual{{{"c", Convolution{{4, 4, 3, 2, 1}}}}, {}}, {4, 6, 6}),
                      Contains("layer layer adds 4 x 3 x 3 of its body and 4 x 6 x 6 of its "
                               "shortcut") &&
                          Contains("Hint: both give the same shape"));
    CHECK_THROWS_WITH(after(Residual{{{"c", Convolution{{3, 4, 3, 1, 1}}}}, {}}, {4, 6, 6}),
                      Contains("layer c takes 3 channels, the input has 4"));
}

TEST_CASE("a block has the arrays of its layers, the body's first") {
    const auto net = net_with_block();
    CHECK(names_of(parameters_of(net)) ==
          std::vector<std::string>{"b.conv1.weight", "b.bn1.weight", "b.bn1.bias", "b.conv2.weight",
                                   "b.downsample.0.weight", "b.downsample.1.weight",
                                   "b.downsample.1.bias", "fc.weight", "fc.bias"});
    REQUIRE(buffers_of(net).size() == 4);
    CHECK(buffers_of(net)[2].name == "b.downsample.1.running_mean");
    CHECK(slots_of_layers(net) == std::vector<Range>{{0, 7}, {7, 0}, {7, 2}});
    CHECK(nets_inside(net.layers[1], {16, 5, 5}).empty());
    CHECK(nets_inside(net.layers[0], net.input)[1].layers.size() == 2);
    const ArenaLayout layout(parameters_of(net));
    const auto room = compute_room(layout, {0, 9}, {.in_products = 2, .of_others = 4});
    CHECK(room.bytes[0].count == 896 * 2);  // 8 * 12 * 9, padded
    CHECK(room.bytes[1].count == 64 * 4);
    CHECK(room.bytes[4].count == 8 * 16 * 2);
    CHECK(room.bytes[8].count == 64 * 2);
}

TEST_CASE("stages may begin with convolutions, linear layers and blocks") {
    const auto net = net_with_block();
    CHECK(begins_block(net.layers[0]));
    CHECK_FALSE(begins_block(net.layers[1]));
    CHECK(begins_block(net.layers[2]));
    CHECK(begins_block(block_of(net).body[0]));
    CHECK_FALSE(begins_block(block_of(net).body[1]));
}

TEST_CASE("the tensor axis cuts a linear layer, a bias and the layers inside a block") {
    const auto net = net_with_block();
    const TensorSplit plan = tensor_split(net, 4);
    CHECK(plan.layers[0].cut == ChannelSplit::inside);
    CHECK(plan.layers[1].cut == ChannelSplit::whole);
    CHECK(plan.layers[2].cut == ChannelSplit::input);
    const auto part = local_net(net, plan, 3);
    const auto parameters = parameters_of(part);
    CHECK(parameters[0].shape == std::vector<std::int64_t>{12, 2, 3, 3});
    CHECK((parameters[0].slice->dim == 1 && parameters[0].slice->begin == 6));
    CHECK(parameters[7].shape == std::vector<std::int64_t>{5, 16});
    CHECK((parameters[7].slice->dim == 1 && parameters[7].slice->begin == 48));
    CHECK(parameters[8].shape == std::vector<std::int64_t>{5});
    CHECK_FALSE(parameters[8].slice);
    CHECK(block_of(part).body.front().name == "b.conv1.in");
    const NetDescription wide{"net", {3, 2, 2}, {{"fc", Linear{12, 8}}}};
    const auto rows = parameters_of(local_net(
        wide, {2, {{ChannelSplit::output, Placement::replicate, Placement::replicate}}}, 1));
    CHECK(rows[0].shape == std::vector<std::int64_t>{4, 12});
    CHECK((rows[1].slice->begin == 4 && rows[1].slice->total == 8));
    const NetDescription odd{"net", {8, 9, 9}, {{"b", block_of(net)}}};
    CHECK(tensor_split(odd, 3).layers[0].cut == ChannelSplit::inside);
    CHECK(shapes_of(local_net(odd, tensor_split(odd, 3), 1)).back() == ImageShape{16, 5, 5});
}

TEST_CASE("layers inside a block have kernels of their own, or the whole block has ATen's") {
    const auto net = net_with_block();
    const auto kernel_of_norm = [](const NetDescription& made) {
        return block_of(made).body[1].kernels.forward;
    };
    const auto fast = with_kernels(net, by("fast"));
    CHECK(kernel_of_norm(fast) == Kernel::batch_norm);
    CHECK(block_of(fast).shortcut[1].kernels.forward == Kernel::batch_norm);
    CHECK(block_of(fast).body[0].kernels.forward == Kernel::aten);
    CHECK(fast.layers[0].kernels.forward == Kernel::inside);
    CHECK(to_string(Kernel::inside) == "inside");
    CHECK(kernel_of_norm(by_aten(fast)) == Kernel::aten);
    CHECK(by_aten(fast).layers[0].kernels == LayerKernels{});
    const auto one_left = with_kernels(net, by("fast,-net.b.bn1"));
    CHECK(kernel_of_norm(one_left) == Kernel::aten);
    CHECK(block_of(one_left).shortcut[1].kernels.forward == Kernel::batch_norm);
    const auto all_left = with_kernels(net, by("fast,-net.b"));
    CHECK(block_of(all_left).shortcut[1].kernels.forward == Kernel::aten);
    CHECK(all_left.layers[0].kernels == LayerKernels{});
    CHECK(own_kernel(net.layers[0], net.input, here).as_a_whole);
    CHECK(own_kernel({"b", Residual{}}, net.input, here).left == "no kernel for a layer inside");
    CHECK(own_kernel(net.layers[2], {16, 2, 2}, here).left == "no kernel");
    const LayerDescription with_bias{"c",
                                     Convolution{{.in = 3, .out = 64, .kernel = 4, .bias = true}}};
    CHECK(own_kernel(with_bias, {3, 16, 16}, here).left == "a bias");
}

TEST_CASE("a choice of kernels may name blocks of a classifier and layers inside of them") {
    const std::vector nets{classifier("resnet-18", 3, 32, 10).net};
    for (const char* name : {"layer1.0", "layer1.0.bn1", "layer2.0.downsample.1", "fc"})
        CHECK_NOTHROW(
            check_layers(KernelChoice::parse(text("fast,-classifier.", name)), "resnet-18", nets));
    CHECK_THROWS_WITH(
        check_layers(KernelChoice::parse("fast,-classifier.layer1.0.bn3"), "resnet-18", nets),
        Contains("resnet-18 has no layer classifier.layer1.0.bn3") &&
            Contains("Hint: did you mean classifier.layer1.0.bn1?"));
}

TEST_CASE("batch norms inside a block are fused with their activations") {
    const auto fused = fuse(with_kernels(net_with_block(), by("fast")));
    CHECK(block_of(fused).body.size() == 3);
    CHECK(std::holds_alternative<BatchNormActivation>(block_of(fused).body[1].kind));
    CHECK(block_of(fused).shortcut.size() == 2);
    CHECK(names_of(parameters_of(fused)) == names_of(parameters_of(net_with_block())));
    CHECK(block_of(fuse(net_with_block())).body.size() == 4);
}
