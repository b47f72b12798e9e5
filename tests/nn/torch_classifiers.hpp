#pragma once
/// Classifiers as modules of torch::nn, written as torchvision writes them.
#include "civitas/base/hash.hpp"
#include "civitas/nn/layer.hpp"
#include "civitas/random/stream.hpp"
#include "support/torch.hpp"

#include <string>
#include <vector>

namespace civitas::nn::test {

using torch::nn::BatchNorm2d;
using torch::nn::Conv2d;
using torch::nn::Conv2dOptions;
using torch::nn::Sequential;

inline Conv2d convolution(std::int64_t in, std::int64_t out, std::int64_t kernel,
                          std::int64_t stride) {
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

/// ResNet-18 for images of up to 32 pixels.
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

/// Drops what classifier.2 and classifier.5 of VGG drop of samples, which may change.
struct FormulaDropoutImpl : torch::nn::Module {
    FormulaDropoutImpl(std::string layer, const SampleRange& samples)
        : layer_(std::move(layer)), samples_(samples) {}
    at::Tensor forward(const at::Tensor& x) {
        const auto mask = torch::zeros_like(x);
        for (std::int64_t sample = 0; sample < x.size(0); ++sample) {
            const RandomStream numbers(
                samples_.seed, Purpose::dropout,
                {static_cast<std::uint64_t>(index(samples_.first) + sample), name_hash(layer_)});
            auto* row = mask.mutable_data_ptr<double>() + sample * x.size(1);
            for (std::int64_t i = 0; i < x.size(1); ++i)
                row[i] = numbers.uniform(static_cast<std::uint64_t>(i)) >= 0.5 ? 2 : 0;
        }
        return x * mask;
    }

private:
    std::string layer_;
    const SampleRange& samples_;
};
TORCH_MODULE(FormulaDropout);

/// VGG-11 for images of 32 pixels.
struct Vgg11 : torch::nn::Module {
    Vgg11(std::int64_t classes, const SampleRange& samples) {
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
            "classifier",
            Sequential(torch::nn::Linear(512, 4096), torch::nn::ReLU(),
                       FormulaDropout("classifier.2", samples), torch::nn::Linear(4096, 4096),
                       torch::nn::ReLU(), FormulaDropout("classifier.5", samples),
                       torch::nn::Linear(4096, classes)));
    }
    at::Tensor forward(const at::Tensor& x) {
        return head->forward(features->forward(x).flatten(1));
    }
    Sequential features, head{nullptr};
};

}  // namespace civitas::nn::test
