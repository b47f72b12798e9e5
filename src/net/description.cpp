#include "civitas/net/description.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/overloaded.hpp"

namespace civitas::net {
namespace {

std::string words(ImageShape s) { return text(s.channels, " x ", s.height, " x ", s.width); }

void require_channels(const std::string& layer, std::int64_t needed, ImageShape input) {
    if (needed == input.channels) return;
    throw UsageError(text("layer ", layer, " takes ", needed, " channels, the input has ",
                          input.channels, " (", words(input), ")"),
                     {text("a layer takes as many channels as the one before gives")});
}

void require_sizes(const std::string& layer, const ConvolutionGeometry& g) {
    if (g.in > 0 && g.out > 0 && g.kernel > 0 && g.stride > 0 && g.padding >= 0) return;
    throw UsageError(text("layer ", layer, " has ", g.in, " to ", g.out, " channels, kernel ",
                          g.kernel, ", stride ", g.stride, ", padding ", g.padding),
                     {"channels, kernel and stride start at 1, padding at 0"});
}

/// `out` rows and columns of one made by `side` from those of the input.
template <class Side>
ImageShape resized(const std::string& layer, const ConvolutionGeometry& g, ImageShape input,
                   Side side) {
    require_sizes(layer, g);
    require_channels(layer, g.in, input);
    const ImageShape output{g.out, side(input.height), side(input.width)};
    if (output.height > 0 && output.width > 0) return output;
    throw UsageError(text("layer ", layer, " with kernel ", g.kernel, " and padding ", g.padding,
                          " does not fit an input of ", words(input)),
                     {"fewer layers, or larger images"});
}

double multiply_adds(const ConvolutionGeometry& g, ImageShape small) {
    return static_cast<double>(g.in) * static_cast<double>(g.out) *
           static_cast<double>(g.kernel * g.kernel) *
           static_cast<double>(small.height * small.width);
}

std::optional<ArraySlice> slice_of(const LayerPart& part, std::size_t dim, std::int64_t local) {
    if (part.cut == ChannelSplit::whole) return std::nullopt;
    return ArraySlice{dim, local * part.part, local * part.parts};
}

/// A weight whose dim 0 or 1 has the channels of the cut.
ParameterSpec weight_of(const LayerDescription& layer, const ConvolutionGeometry& g,
                        bool transposed) {
    const bool first = (layer.part.cut == ChannelSplit::input) == transposed;
    const std::int64_t local = layer.part.cut == ChannelSplit::input ? g.in : g.out;
    return {layer.name + ".weight",
            {transposed ? g.in : g.out, transposed ? g.out : g.in, g.kernel, g.kernel},
            Initializer::normal_around_zero,
            slice_of(layer.part, first ? 0 : 1, local)};
}

/// `256 x 8 x 4 x 4`.
std::string in_words(const std::vector<std::int64_t>& shape) {
    std::string words;
    for (const std::int64_t extent : shape) words += text(words.empty() ? "" : " x ", extent);
    return words;
}

ImageShape exchanged(const std::string& layer, const Redistribute& e, ImageShape input) {
    ImageShape output = input;
    if (e.before.value == Placement::shard) output.channels *= e.parts;
    if (e.after.value != Placement::shard) return output;
    if (output.channels % e.parts != 0)
        throw UsageError(
            text("layer ", layer, " divides ", output.channels, " channels by ", e.parts),
            {"a part for each rank of the tensor axis, all equal"});
    output.channels /= e.parts;
    return output;
}

/// What `of` tells of each layer, one after the other.
template <class Spec>
std::vector<Spec> of_all(const NetDescription& net,
                         std::vector<Spec> (*of)(const LayerDescription&)) {
    std::vector<Spec> all;
    for (const auto& layer : net.layers)
        for (auto& spec : of(layer)) all.push_back(std::move(spec));
    return all;
}

}  // namespace

std::int64_t ParameterSpec::elements() const {
    constexpr std::int64_t most = std::int64_t{1} << 48;  // far beyond any memory
    std::int64_t product = 1;
    for (const std::int64_t extent : shape) {
        if (extent > 0 && product > most / extent)
            throw UsageError(text(name, " would have ", in_words(shape), " elements"),
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
            [&](const Convolution& c) { return Specs{weight_of(layer, c, false)}; },
            [&](const TransposedConvolution& c) { return Specs{weight_of(layer, c, true)}; },
            [&](const BatchNorm& n) {
                const auto slice = slice_of(layer.part, 0, n.channels);
                return Specs{
                    {layer.name + ".weight", {n.channels}, Initializer::normal_around_one, slice},
                    {layer.name + ".bias", {n.channels}, Initializer::zero, slice}};
            },
            [](const LeakyRelu&) { return Specs{}; }, [](const Tanh&) { return Specs{}; },
            [](const Redistribute&) { return Specs{}; }},
        layer.kind);
}

std::vector<BufferSpec> buffers_of(const LayerDescription& layer) {
    using Specs = std::vector<BufferSpec>;
    return std::visit(
        Overloaded{[](const Convolution&) { return Specs{}; },
                   [](const TransposedConvolution&) { return Specs{}; },
                   [&](const BatchNorm& n) {
                       const auto slice = slice_of(layer.part, 0, n.channels);
                       return Specs{
                           {layer.name + ".running_mean", n.channels, Initializer::zero, slice},
                           {layer.name + ".running_var", n.channels, Initializer::one, slice}};
                   },
                   [](const LeakyRelu&) { return Specs{}; }, [](const Tanh&) { return Specs{}; },
                   [](const Redistribute&) { return Specs{}; }},
        layer.kind);
}

std::vector<ParameterSpec> parameters_of(const NetDescription& net) {
    return of_all<ParameterSpec>(net, parameters_of);
}

std::vector<BufferSpec> buffers_of(const NetDescription& net) {
    return of_all<BufferSpec>(net, buffers_of);
}

std::int64_t parameter_count(const NetDescription& net) {
    std::int64_t count = 0;
    for (const auto& p : parameters_of(net)) count += p.elements();
    return count;
}

ImageShape output_of(const LayerDescription& layer, ImageShape input) {
    return std::visit(
        Overloaded{[&](const Convolution& c) {
                       return resized(layer.name, c, input, [&](std::int64_t side) {
                           const std::int64_t room = side + 2 * c.padding - c.kernel;
                           return room < 0 ? 0 : room / c.stride + 1;
                       });
                   },
                   [&](const TransposedConvolution& c) {
                       return resized(layer.name, c, input, [&](std::int64_t side) {
                           return (side - 1) * c.stride - 2 * c.padding + c.kernel;
                       });
                   },
                   [&](const BatchNorm& n) {
                       require_channels(layer.name, n.channels, input);
                       return input;
                   },
                   [&](const Redistribute& e) { return exchanged(layer.name, e, input); },
                   [&](const LeakyRelu&) { return input; }, [&](const Tanh&) { return input; }},
        layer.kind);
}

std::vector<ImageShape> shapes_of(const NetDescription& net) {
    std::vector<ImageShape> shapes{net.input};
    for (const auto& layer : net.layers) shapes.push_back(output_of(layer, shapes.back()));
    return shapes;
}

NetDescription part_of(const NetDescription& net, Range layers) {
    const auto first = net.layers.begin() + layers.begin;
    return {net.name,
            shapes_of(net).at(static_cast<std::size_t>(layers.begin)),
            {first, first + layers.count}};
}

double forward_flops(const LayerDescription& layer, ImageShape input) {
    return std::visit(
        Overloaded{
            [&](const Convolution& c) { return 2 * multiply_adds(c, output_of(layer, input)); },
            [&](const TransposedConvolution& c) { return 2 * multiply_adds(c, input); },
            [](const BatchNorm&) { return 0.0; }, [](const LeakyRelu&) { return 0.0; },
            [](const Tanh&) { return 0.0; }, [](const Redistribute&) { return 0.0; }},
        layer.kind);
}

}  // namespace civitas::net
