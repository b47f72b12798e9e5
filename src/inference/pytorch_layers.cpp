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
            [](const net::BatchNormActivation&) {
                ensure(false, "a net is exported as it is described, layer by layer");
                return Module{""};
            },
            [](const net::LeakyRelu& r) {
                return r.slope == 0 ? Module{"ReLU"}
                                    : Module{"LeakyReLU",
                                             ordered_json::object({{"negative_slope", r.slope}})};
            },
            [](const net::Tanh&) { return Module{"Tanh"}; },
            [](const net::Linear& l) {
                return Module{"Linear",
                              {{"in_features", l.in}, {"out_features", l.out}, {"bias", l.bias}}};
            },
            [](const net::MaxPool& p) {
                return Module{
                    "MaxPool2d",
                    {{"kernel_size", p.kernel}, {"stride", p.stride}, {"padding", p.padding}}};
            },
            [](const net::AdaptiveAveragePool& p) {
                return Module{"AdaptiveAvgPool2d",
                              {{"output_size", ordered_json::array({p.height, p.width})}}};
            },
            [](const net::Dropout& d) {
                return Module{"Dropout", ordered_json::object({{"p", d.p}})};
            },
            [](const net::Residual&) {
                ensure(false, "a residual block is exported layer by layer");
                return Module{""};
            },
            [](const net::Redistribute&) {
                ensure(false, "a whole net has no exchanges between ranks");
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
