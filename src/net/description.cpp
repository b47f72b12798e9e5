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

UsageError does_not_fit(const std::string& layer, std::int64_t kernel, std::int64_t padding,
                        ImageShape input) {
    return UsageError(text("layer ", layer, " with kernel ", kernel, " and padding ", padding,
                           " does not fit an input of ", words(input)),
                      {"fewer layers, or larger images"});
}

/// `out` rows and columns of one made by `side` from those of the input.
template <class Side>
ImageShape resized(const std::string& layer, const ConvolutionGeometry& g, ImageShape input,
                   Side side) {
    require_sizes(layer, g);
    require_channels(layer, g.in, input);
    const ImageShape output{g.out, side(input.height), side(input.width)};
    if (output.height > 0 && output.width > 0) return output;
    throw does_not_fit(layer, g.kernel, g.padding, input);
}

std::int64_t windows(std::int64_t side, std::int64_t kernel, std::int64_t stride,
                     std::int64_t padding) {
    const std::int64_t room = side + 2 * padding - kernel;
    return room < 0 ? 0 : room / stride + 1;
}

ImageShape pooled(const std::string& layer, const MaxPool& p, ImageShape input) {
    if (p.kernel < 1 || p.stride < 1 || p.padding < 0 || 2 * p.padding > p.kernel)
        throw UsageError(text("layer ", layer, " has kernel ", p.kernel, ", stride ", p.stride,
                              ", padding ", p.padding),
                         {"kernel and stride start at 1, padding is at most half the kernel"});
    const ImageShape output{input.channels, windows(input.height, p.kernel, p.stride, p.padding),
                            windows(input.width, p.kernel, p.stride, p.padding)};
    if (output.height > 0 && output.width > 0) return output;
    throw does_not_fit(layer, p.kernel, p.padding, input);
}

ImageShape averaged(const std::string& layer, const AdaptiveAveragePool& p, ImageShape input) {
    if (p.height < 1 || p.width < 1)
        throw UsageError(
            text("layer ", layer, " gives means of ", p.height, " x ", p.width, " windows"),
            {"at least 1 x 1"});
    return {input.channels, p.height, p.width};
}

ImageShape mapped(const std::string& layer, const Linear& l, ImageShape input) {
    if (l.in < 1 || l.out < 1)
        throw UsageError(text("layer ", layer, " has ", l.in, " to ", l.out, " values"),
                         {"at least 1 to 1"});
    if (input.elements() == l.in) return {l.out, 1, 1};
    throw UsageError(text("layer ", layer, " takes ", l.in, " values, the input has ",
                          input.elements(), " (", words(input), ")"),
                     {"a linear layer takes all values that the layer before gives"});
}

ImageShape dropped(const std::string& layer, const Dropout& d, ImageShape input) {
    if (d.p >= 0 && d.p < 1) return input;
    throw UsageError(text("layer ", layer, " drops values with probability ", d.p),
                     {"from 0 to below 1"});
}

ImageShape added(const LayerDescription& layer, const Residual& r, ImageShape input) {
    const auto after = [&](const std::vector<LayerDescription>& layers) {
        return shapes_of({layer.name, input, layers}).back();
    };
    const ImageShape body = after(r.body);
    const ImageShape shortcut = after(r.shortcut);
    if (body == shortcut) return body;
    throw UsageError(text("layer ", layer.name, " adds ", words(body), " of its body and ",
                          words(shortcut), " of its shortcut"),
                     {"both give the same shape"});
}

double multiply_adds(const ConvolutionGeometry& g, ImageShape small) {
    return static_cast<double>(g.in) * static_cast<double>(g.out) *
           static_cast<double>(g.kernel * g.kernel) *
           static_cast<double>(small.height * small.width);
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

}  // namespace

ImageShape output_of(const LayerDescription& layer, ImageShape input) {
    return std::visit(
        Overloaded{[&](const Convolution& c) {
                       return resized(layer.name, c, input, [&](std::int64_t side) {
                           return windows(side, c.kernel, c.stride, c.padding);
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
                   [&](const Linear& l) { return mapped(layer.name, l, input); },
                   [&](const MaxPool& p) { return pooled(layer.name, p, input); },
                   [&](const AdaptiveAveragePool& p) { return averaged(layer.name, p, input); },
                   [&](const Dropout& d) { return dropped(layer.name, d, input); },
                   [&](const Residual& r) { return added(layer, r, input); },
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

std::vector<NetDescription> nets_inside(const LayerDescription& layer, ImageShape input) {
    const auto* block = std::get_if<Residual>(&layer.kind);
    if (block == nullptr) return {};
    return {{layer.name, input, block->body}, {layer.name, input, block->shortcut}};
}

double forward_flops(const NetDescription& net) {
    const auto shapes = shapes_of(net);
    double sum = 0;
    for (std::size_t i = 0; i < net.layers.size(); ++i)
        sum += forward_flops(net.layers[i], shapes[i]);
    return sum;
}

double forward_flops(const LayerDescription& layer, ImageShape input) {
    return std::visit(
        Overloaded{
            [&](const Convolution& c) { return 2 * multiply_adds(c, output_of(layer, input)); },
            [&](const TransposedConvolution& c) { return 2 * multiply_adds(c, input); },
            [](const BatchNorm&) { return 0.0; }, [](const LeakyRelu&) { return 0.0; },
            [](const Tanh&) { return 0.0; }, [](const Redistribute&) { return 0.0; },
            [](const Linear& l) {
                return 2 * static_cast<double>(l.in) * static_cast<double>(l.out);
            },
            [](const MaxPool&) { return 0.0; }, [](const AdaptiveAveragePool&) { return 0.0; },
            [](const Dropout&) { return 0.0; },
            [&](const Residual&) {
                double sum = 0;
                for (const NetDescription& net : nets_inside(layer, input))
                    sum += forward_flops(net);
                return sum;
            }},
        layer.kind);
}

}  // namespace civitas::net
