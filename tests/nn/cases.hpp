#pragma once
/// One of each kind of layer, to be run with an input of the given shape.
#include "oracle.hpp"

#include "civitas/net/own_kernel.hpp"
#include "civitas/nn/instructions.hpp"

namespace civitas::nn::test {

struct Case {
    net::LayerDescription layer;
    std::vector<std::int64_t> input;
};

inline net::ConvolutionGeometry sizes(std::int64_t in, std::int64_t out, std::int64_t kernel,
                                      std::int64_t stride, std::int64_t padding) {
    return {in, out, kernel, stride, padding};
}

inline net::ConvolutionGeometry with_bias(net::ConvolutionGeometry g) {
    g.bias = true;
    return g;
}

/// Every kind, at the geometries of DCGAN and at odd ones.
inline std::vector<Case> cases() {
    std::vector<Case> all;
    const auto add = [&](const char* name, const net::LayerKind& kind,
                         std::vector<std::int64_t> input) {
        all.push_back({{name, kind}, std::move(input)});
    };
    add("down", net::Convolution{sizes(3, 8, 4, 2, 1)}, {4, 3, 16, 16});
    add("down_odd", net::Convolution{sizes(5, 7, 3, 2, 1)}, {3, 5, 9, 13});
    add("down_wide", net::Convolution{sizes(32, 48, 4, 2, 1)}, {2, 32, 8, 8});
    add("full_size", net::Convolution{sizes(32, 3, 3, 1, 1)}, {2, 32, 6, 9});
    add("down_thick", net::Convolution{sizes(64, 80, 4, 2, 1)}, {2, 64, 6, 10});
    add("down_thick_odd", net::Convolution{sizes(65, 64, 4, 2, 1)}, {2, 65, 5, 8});
    add("up_thick", net::TransposedConvolution{sizes(80, 66, 4, 2, 1)}, {2, 80, 3, 1});
    add("last", net::Convolution{sizes(16, 1, 4, 1, 0)}, {5, 16, 4, 4});
    add("first", net::TransposedConvolution{sizes(10, 12, 4, 1, 0)}, {4, 10, 1, 1});
    add("up", net::TransposedConvolution{sizes(8, 3, 4, 2, 1)}, {4, 8, 8, 8});
    add("up_odd", net::TransposedConvolution{sizes(7, 5, 5, 3, 2)}, {3, 7, 5, 7});
    add("up_one", net::TransposedConvolution{sizes(6, 1, 4, 2, 1)}, {1, 6, 16, 16});
    add("up_thin", net::TransposedConvolution{sizes(64, 3, 4, 2, 1)}, {2, 64, 16, 16});
    add("down_thin_odd", net::Convolution{sizes(3, 64, 4, 2, 1)}, {2, 3, 9, 13});
    add("down_thin", net::Convolution{sizes(1, 32, 4, 2, 1)}, {3, 1, 18, 14});
    add("first_wide", net::TransposedConvolution{sizes(100, 64, 4, 1, 0)}, {3, 100, 1, 1});
    add("first_pixels", net::TransposedConvolution{sizes(10, 12, 4, 1, 0)}, {2, 10, 2, 2});
    add("norm", net::BatchNorm{16}, {4, 16, 8, 8});
    add("norm_odd", net::BatchNorm{7}, {3, 7, 5, 3});
    add("norm_batch", net::BatchNorm{5}, {6, 5, 1, 1});
    add("norm_relu", net::BatchNormActivation{{16}, {0}}, {4, 16, 8, 8});
    add("norm_leaky", net::BatchNormActivation{{7}, {0.2}}, {3, 7, 5, 3});
    add("leaky", net::LeakyRelu{0.2}, {3, 7, 5, 3});
    add("relu", net::LeakyRelu{0}, {4, 16, 8, 8});
    add("tanh", net::Tanh{}, {3, 3, 9, 7});
    add("bias", net::Convolution{with_bias(sizes(5, 7, 3, 1, 1))}, {3, 5, 9, 6});
    add("bias_one", net::Convolution{with_bias(sizes(6, 1, 4, 1, 0))}, {2, 6, 4, 4});
    add("bias_up", net::TransposedConvolution{with_bias(sizes(64, 3, 4, 2, 1))}, {2, 64, 6, 5});
    add("linear", net::Linear{7 * 3 * 2, 10}, {4, 7, 3, 2});
    add("linear_point", net::Linear{12, 5, false}, {3, 12, 1, 1});
    add("max", net::MaxPool{2, 2, 0}, {3, 5, 8, 6});
    add("max_odd", net::MaxPool{3, 2, 1}, {2, 5, 9, 12});
    add("max_one", net::MaxPool{2, 3, 1}, {2, 1, 7, 7});
    add("max_overlapping", net::MaxPool{3, 1, 1}, {2, 4, 5, 3});
    add("mean", net::AdaptiveAveragePool{1, 1}, {3, 7, 4, 5});
    add("mean_even", net::AdaptiveAveragePool{2, 3}, {2, 6, 4, 9});
    add("mean_odd", net::AdaptiveAveragePool{3, 2}, {2, 1, 7, 5});
    add("mean_of_itself", net::AdaptiveAveragePool{4, 5}, {2, 3, 4, 5});
    return all;
}

/// The layer by kernels of our own, where there are any for it here.
inline std::vector<net::LayerDescription> by_ours(const Case& c, at::ScalarType type) {
    const auto precision = type == at::kDouble  ? net::Precision::fp64
                           : type == at::kFloat ? net::Precision::fp32
                                                : net::Precision::bf16;
    const net::NetDescription net{"net", {c.input[1], c.input[2], c.input[3]}, {c.layer}};
    return net::with_kernels(net, {.choice = net::KernelChoice(net::KernelSet::fast),
                                   .host = {precision, instructions_here()}})
        .layers;
}

inline std::vector<std::int64_t> output_shape(const Case& c) {
    const auto out = net::output_of(c.layer, {c.input[1], c.input[2], c.input[3]});
    return {c.input[0], out.channels, out.height, out.width};
}

}  // namespace civitas::nn::test
