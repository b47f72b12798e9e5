#include "oracle.hpp"

#include "civitas/base/random.hpp"
#include "civitas/net/classifiers.hpp"
#include "civitas/net/fuse.hpp"
#include "civitas/net/own_kernel.hpp"
#include "civitas/planner/layer_costs.hpp"

// Whole classifiers against modules of torch::nn that are written as torchvision writes them; and
// what they keep against what is counted.

using namespace civitas;
using namespace civitas::nn;
using namespace civitas::nn::test;
using torch::nn::BatchNorm2d;
using torch::nn::Conv2d;
using torch::nn::Conv2dOptions;
using torch::nn::Sequential;

namespace {

Conv2d convolution(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride) {
    return Conv2d(Conv2dOptions(in, out, kernel).stride(stride).padding(kernel / 2).bias(false));
}

struct BasicBlockImpl : torch::nn::Module {
    BasicBlockImpl(std::int64_t in, std::int64_t out, std::int64_t stride)
        : conv1(register_module("conv1", convolution(in, out, 3, stride))),
          bn1(register_module("bn1", BatchNorm2d(out))),
          conv2(register_module("conv2", convolution(out, out, 3, 1))),
          bn2(register_module("bn2", BatchNorm2d(out))) {
        if (stride != 1 || in != out)
            downsample = register_module(
                "downsample", Sequential(convolution(in, out, 1, stride), BatchNorm2d(out)));
    }
    at::Tensor forward(const at::Tensor& x) {
        auto y = torch::relu(bn1(conv1(x)));
        y = bn2(conv2(y));
        return torch::relu(y + (downsample.is_empty() ? x : downsample->forward(x)));
    }
    Conv2d conv1{nullptr};
    BatchNorm2d bn1{nullptr};
    Conv2d conv2{nullptr};
    BatchNorm2d bn2{nullptr};
    Sequential downsample{nullptr};
};
TORCH_MODULE(BasicBlock);

/// ResNet-18 for images of up to 64 pixels.
struct Resnet18 : torch::nn::Module {
    explicit Resnet18(std::int64_t classes) {
        register_module("conv1", conv1);
        register_module("bn1", bn1);
        std::int64_t in = 64;
        for (int part = 0; part < 4; ++part) {
            const std::int64_t out = std::int64_t{64} << part;
            Sequential blocks(BasicBlock(in, out, part == 0 ? 1 : 2), BasicBlock(out, out, 1));
            layers.push_back(register_module("layer" + std::to_string(part + 1), blocks));
            in = out;
        }
        fc = register_module("fc", torch::nn::Linear(512, classes));
    }
    at::Tensor forward(at::Tensor x) {
        x = torch::relu(bn1(conv1(x)));
        for (auto& blocks : layers) x = blocks->forward(x);
        return fc(x.mean({2, 3}));
    }
    Conv2d conv1 = convolution(3, 64, 3, 1);
    BatchNorm2d bn1{64};
    std::vector<Sequential> layers;
    torch::nn::Linear fc{nullptr};
};

constexpr SampleRange seen_samples{Seed{3}, Sample{100}};

/// Drops what classifier.2 and classifier.5 of VGG drop.
struct FormulaDropoutImpl : torch::nn::Module {
    explicit FormulaDropoutImpl(std::string layer) : layer_(std::move(layer)) {}
    at::Tensor forward(const at::Tensor& x) {
        const auto mask = torch::zeros_like(x);
        for (std::int64_t sample = 0; sample < x.size(0); ++sample) {
            const RandomStream numbers(
                seen_samples.seed, Purpose::dropout,
                {static_cast<std::uint64_t>(index(seen_samples.first) + sample),
                 name_hash(layer_)});
            auto* row = mask.mutable_data_ptr<double>() + sample * x.size(1);
            for (std::int64_t i = 0; i < x.size(1); ++i)
                row[i] = numbers.uniform(static_cast<std::uint64_t>(i)) >= 0.5 ? 2 : 0;
        }
        return x * mask;
    }

private:
    std::string layer_;
};
TORCH_MODULE(FormulaDropout);

/// VGG-11 for images of 32 pixels.
struct Vgg11 : torch::nn::Module {
    explicit Vgg11(std::int64_t classes) {
        std::int64_t in = 3;
        for (const std::int64_t out : {64, 0, 128, 0, 256, 256, 0, 512, 512, 0, 512, 512, 0}) {
            if (out == 0) {
                features->push_back(torch::nn::MaxPool2d(2));
                continue;
            }
            features->push_back(Conv2d(Conv2dOptions(in, out, 3).padding(1)));
            features->push_back(torch::nn::ReLU());
            in = out;
        }
        register_module("features", features);
        head = register_module(
            "classifier", Sequential(torch::nn::Linear(512, 4096), torch::nn::ReLU(),
                                     FormulaDropout("classifier.2"), torch::nn::Linear(4096, 4096),
                                     torch::nn::ReLU(), FormulaDropout("classifier.5"),
                                     torch::nn::Linear(4096, classes)));
    }
    at::Tensor forward(const at::Tensor& x) {
        return head->forward(features->forward(x).flatten(1));
    }
    Sequential features, head{nullptr};
};

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
    Vgg11 truth(5);
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
