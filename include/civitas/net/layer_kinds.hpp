#pragma once
/// What costs depend on of a layer.
#include "civitas/base/overloaded.hpp"
#include "civitas/net/description.hpp"

namespace civitas::net {

/// What costs depend on of a layer: a new kind does not compile before it has answered these.
struct LayerTraits {
    bool convolves = false;  ///< products of matrices in F, B and W, which keep input and gradient
    bool activates = false;  ///< element by element; B reads the output
    bool pools = false;      ///< B reads the input
    bool drops = false;      ///< B reads a byte for each value
    std::int64_t normalised_channels = 0;  ///< whose statistics F takes; B and W read the input
};
/// A residual block answers for what it does behind its layers, which each answer for themselves.
[[nodiscard]] inline LayerTraits traits_of(const LayerKind& kind) {
    return std::visit(
        Overloaded{
            [](const Convolution&) { return LayerTraits{.convolves = true}; },
            [](const TransposedConvolution&) { return LayerTraits{.convolves = true}; },
            [](const BatchNorm& n) { return LayerTraits{.normalised_channels = n.channels}; },
            [](const LeakyRelu&) { return LayerTraits{.activates = true}; },
            [](const Tanh&) { return LayerTraits{.activates = true}; },
            [](const Redistribute&) { return LayerTraits{}; },
            [](const Linear&) { return LayerTraits{.convolves = true}; },
            [](const MaxPool&) { return LayerTraits{.pools = true}; },
            [](const AdaptiveAveragePool&) { return LayerTraits{.pools = true}; },
            [](const Dropout&) { return LayerTraits{.drops = true}; },
            [](const Residual& r) { return LayerTraits{.activates = r.activation.has_value()}; }},
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
/// Whether a stage may begin with it where nets are cut between blocks.
[[nodiscard]] inline bool begins_block(const LayerDescription& layer) {
    return convolves(layer) || std::holds_alternative<Residual>(layer.kind);
}
inline const Redistribute* redistribute_of(const LayerDescription& layer) {
    return std::get_if<Redistribute>(&layer.kind);
}

}  // namespace civitas::net
