#pragma once
/// What costs depend on of a layer.
#include "civitas/base/overloaded.hpp"
#include "civitas/net/description.hpp"

namespace civitas::net {

/// What costs depend on of a layer: a new kind does not compile before it has answered these.
struct LayerTraits {
    bool convolves = false;  ///< products of matrices in F, B and W, which keep input and gradient
    bool activates = false;  ///< element by element; B reads the output
    std::int64_t normalised_channels = 0;  ///< whose statistics F takes; B and W read the input
};
[[nodiscard]] inline LayerTraits traits_of(const LayerKind& kind) {
    return std::visit(
        Overloaded{
            [](const Convolution&) { return LayerTraits{.convolves = true}; },
            [](const TransposedConvolution&) { return LayerTraits{.convolves = true}; },
            [](const BatchNorm& n) { return LayerTraits{.normalised_channels = n.channels}; },
            [](const LeakyRelu&) { return LayerTraits{.activates = true}; },
            [](const Tanh&) { return LayerTraits{.activates = true}; },
            [](const Redistribute&) { return LayerTraits{}; }},
        kind);
}

[[nodiscard]] inline bool convolves(const LayerDescription& layer) {
    return traits_of(layer.kind).convolves;
}
[[nodiscard]] inline bool activates(const LayerDescription& layer) {
    return traits_of(layer.kind).activates;
}
[[nodiscard]] inline std::int64_t normalised_channels(const LayerDescription& layer) {
    return traits_of(layer.kind).normalised_channels;
}
inline const Redistribute* redistribute_of(const LayerDescription& layer) {
    return std::get_if<Redistribute>(&layer.kind);
}

}  // namespace civitas::net
