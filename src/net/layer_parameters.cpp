#include "civitas/base/error.hpp"
#include "civitas/base/overloaded.hpp"
#include "civitas/base/text.hpp"
#include "civitas/net/description.hpp"

namespace civitas::net {
namespace {

std::optional<ArraySlice> slice_of(const LayerPart& part, std::size_t dim, std::int64_t local) {
    if (part.cut == ChannelSplit::whole) return std::nullopt;
    return ArraySlice{dim, local * part.part, local * part.parts};
}

/// What products of matrices read: a weight whose dims 0 and 1 have the channels, and one may be
/// cut, and a bias per output channel, which ranks that have all of these have alike.
struct Factors {
    std::vector<std::int64_t> shape;
    bool transposed = false;  ///< input channels come first
    bool bias = false;
    double deviation = 0;
};

std::vector<ParameterSpec> specs_of(const LayerDescription& layer, Factors of) {
    const bool by_input = layer.part.cut == ChannelSplit::input;
    const std::size_t outputs = of.transposed ? 1 : 0;
    const std::size_t dim = by_input ? 1 - outputs : outputs;
    const std::int64_t out = of.shape[outputs];
    const auto slice = slice_of(layer.part, dim, of.shape[dim]);
    std::vector<ParameterSpec> specs{{layer.name + ".weight", std::move(of.shape),
                                      Initializer::normal_around_zero, slice, of.deviation, true}};
    if (of.bias)
        specs.push_back({.name = layer.name + ".bias",
                         .shape = {out},
                         .slice = by_input ? std::nullopt : slice_of(layer.part, 0, out),
                         .in_products = true});
    return specs;
}

Factors factors_of(const ConvolutionGeometry& g, bool transposed) {
    return {{transposed ? g.in : g.out, transposed ? g.out : g.in, g.kernel, g.kernel},
            transposed,
            g.bias,
            g.deviation};
}

/// What `of` tells of each layer, one after the other.
template <class Spec>
std::vector<Spec> of_all(const std::vector<LayerDescription>& layers,
                         std::vector<Spec> (*of)(const LayerDescription&)) {
    std::vector<Spec> all;
    for (const auto& layer : layers)
        for (auto& spec : of(layer)) all.push_back(std::move(spec));
    return all;
}

template <class Spec>
std::vector<Spec> of_all(const Residual& block, std::vector<Spec> (*of)(const LayerDescription&)) {
    auto all = of_all(block.body, of);
    for (auto& spec : of_all(block.shortcut, of)) all.push_back(std::move(spec));
    return all;
}

}  // namespace

std::int64_t ParameterSpec::elements() const {
    constexpr std::int64_t most = std::int64_t{1} << 48;  // far beyond any memory
    std::int64_t product = 1;
    for (const std::int64_t extent : shape) {
        if (extent > 0 && product > most / extent)
            throw UsageError(text(name, " would have ", join(shape, " x "), " elements"),
                             Hint{"a smaller --nz, fewer channels"});
        product *= extent;
    }
    return product;
}

std::vector<std::int64_t> logical_shape(std::vector<std::int64_t> local,
                                        const std::optional<ArraySlice>& slice) {
    if (slice) local.at(slice->dim) = slice->total;
    return local;
}

std::vector<Range> box_of(const std::vector<std::int64_t>& local,
                          const std::optional<ArraySlice>& slice) {
    std::vector<Range> box;
    for (const std::int64_t count : local) box.push_back({0, count});
    if (slice) box.at(slice->dim).begin = slice->begin;
    return box;
}

std::vector<ParameterSpec> parameters_of(const LayerDescription& layer) {
    using Specs = std::vector<ParameterSpec>;
    return std::visit(
        Overloaded{
            [&](const Convolution& c) { return specs_of(layer, factors_of(c, false)); },
            [&](const TransposedConvolution& c) { return specs_of(layer, factors_of(c, true)); },
            [&](const Linear& l) {
                return specs_of(layer, {{l.out, l.in}, false, l.bias, l.deviation});
            },
            [&](const BatchNorm& n) {
                const auto slice = slice_of(layer.part, 0, n.channels);
                return Specs{{layer.name + ".weight", {n.channels}, n.initial, slice},
                             {layer.name + ".bias", {n.channels}, Initializer::zero, slice}};
            },
            [](const Residual& r) { return of_all<ParameterSpec>(r, parameters_of); },
            [](const LeakyRelu&) { return Specs{}; }, [](const Tanh&) { return Specs{}; },
            [](const MaxPool&) { return Specs{}; },
            [](const AdaptiveAveragePool&) { return Specs{}; },
            [](const Dropout&) { return Specs{}; }, [](const Redistribute&) { return Specs{}; }},
        layer.kind);
}

std::vector<BufferSpec> buffers_of(const LayerDescription& layer) {
    using Specs = std::vector<BufferSpec>;
    return std::visit(
        Overloaded{
            [](const Convolution&) { return Specs{}; },
            [](const TransposedConvolution&) { return Specs{}; },
            [](const Linear&) { return Specs{}; },
            [&](const BatchNorm& n) {
                const auto slice = slice_of(layer.part, 0, n.channels);
                return Specs{{layer.name + ".running_mean", n.channels, Initializer::zero, slice},
                             {layer.name + ".running_var", n.channels, Initializer::one, slice}};
            },
            [](const Residual& r) { return of_all<BufferSpec>(r, buffers_of); },
            [](const LeakyRelu&) { return Specs{}; }, [](const Tanh&) { return Specs{}; },
            [](const MaxPool&) { return Specs{}; },
            [](const AdaptiveAveragePool&) { return Specs{}; },
            [](const Dropout&) { return Specs{}; }, [](const Redistribute&) { return Specs{}; }},
        layer.kind);
}

std::vector<ParameterSpec> parameters_of(const NetDescription& net) {
    return of_all<ParameterSpec>(net.layers, parameters_of);
}

std::vector<BufferSpec> buffers_of(const NetDescription& net) {
    return of_all<BufferSpec>(net.layers, buffers_of);
}

std::int64_t parameter_count(const NetDescription& net) {
    std::int64_t count = 0;
    for (const auto& p : parameters_of(net)) count += p.elements();
    return count;
}

}  // namespace civitas::net
