#include "civitas/inference/pytorch_layers.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/overloaded.hpp"

#include <nlohmann/json.hpp>

namespace civitas::inference {
namespace {

using nlohmann::ordered_json;

/// A class of torch.nn and what its constructor is given.
struct Module {
    const char* name;
    ordered_json arguments = ordered_json::object();
};

ordered_json arguments_of(const net::ConvolutionGeometry& g) {
    return {{"in_channels", g.in}, {"out_channels", g.out}, {"kernel_size", g.kernel},
            {"stride", g.stride},  {"padding", g.padding},  {"bias", g.bias}};
}

Module module_of(const net::LayerKind& kind) {
    return std::visit(
        Overloaded{
            [](const net::Convolution& c) {
                return Module{"Conv2d", arguments_of(c)};
            },
            [](const net::TransposedConvolution& c) {
                return Module{"ConvTranspose2d", arguments_of(c)};
            },
            [](const net::BatchNorm& n) {
                return Module{"BatchNorm2d", {{"num_features", n.channels}, {"eps", n.epsilon}}};
            },
            [](const net::LeakyRelu& r) {
                return r.slope == 0 ? Module{"ReLU"}
                                    : Module{"LeakyReLU",
                                             ordered_json::object({{"negative_slope", r.slope}})};
            },
            [](const net::Tanh&) { return Module{"Tanh"}; },
            [](const auto&) {
                ensure(false, "what is exported is whole and of a GAN, layer by layer");
                return Module{""};
            }},
        kind);
}

}  // namespace

std::string pytorch_layers(const net::NetDescription& net) {
    ordered_json layers = ordered_json::array();
    for (const net::LayerDescription& layer : net.layers) {
        const Module module = module_of(layer.kind);
        layers.push_back({layer.name, module.name, module.arguments});
    }
    return layers.dump();
}

}  // namespace civitas::inference
