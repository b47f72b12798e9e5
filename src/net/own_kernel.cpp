#include "civitas/net/own_kernel.hpp"

#include "civitas/base/names.hpp"
#include "civitas/base/overloaded.hpp"
#include "civitas/base/text.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace civitas::net {
namespace {

constexpr std::array<NamedValue<Kernel>, 8> names_of_kernels{{{"aten", Kernel::aten},
                                                              {"strided", Kernel::strided},
                                                              {"thin", Kernel::thin},
                                                              {"picture", Kernel::picture},
                                                              {"product", Kernel::product},
                                                              {"batch norm", Kernel::batch_norm},
                                                              {"tanh", Kernel::tanh},
                                                              {"inside", Kernel::inside}}};

/// Channels of both images, on a GPU of the small one, from which on src/strided is faster than
/// ATen.
constexpr std::int64_t least_for_strided = 32;
/// Channels of a picture at most, as kernels/thin.hpp has it.
constexpr std::int64_t most_of_pictures = 4;
/// Of one that is made at full size, and what the channels before it must be a multiple of, as
/// kernels/picture.hpp has it.
constexpr std::int64_t most_at_full_size = 3;
constexpr std::int64_t panel_of_channels = 32;

constexpr const char* by_cudnn = "a GPU, for which cuDNN has it";

OwnKernel none(std::string why) { return {.left = std::move(why)}; }

constexpr const char* without_vectors = "no AVX2";

/// A convolution of kernel 4, stride 2 and padding 1 between a big image and a small one.
struct Doubling {
    bool transposed;
    std::int64_t small, big;  ///< channels
    bool even;                ///< the sides of the big image
};

OwnKernel thin(const Doubling& layer, const KernelHost& host) {
    if (host.precision == Precision::bf16 && layer.small % 2 != 0)
        return none(text(layer.small, " channels are no pairs of bf16"));
    if (layer.transposed)
        return {Kernel::thin, {.forward = true, .backward_weights = true}, false, "B is as fast"};
    return {
        Kernel::thin, {.backward_input = true, .backward_weights = true}, false, "F is as fast"};
}

std::string too_few() { return text("fewer than ", least_for_strided, " channels"); }

OwnKernel doubling_on_gpu(const Doubling& layer, const KernelHost& host) {
    if (host.precision == Precision::bf16) return none(by_cudnn);
    if (!layer.even) return none("an image of odd sides");
    if (layer.small < least_for_strided) return none(too_few());
    return {Kernel::strided, all_passes};
}

OwnKernel doubling(const Doubling& layer, const KernelHost& host) {
    if (host.gpu) return doubling_on_gpu(layer, host);
    if (!host.instructions.vectors) return none(without_vectors);
    if (!layer.even) return none("an image of odd sides");
    if (layer.big <= most_of_pictures) return thin(layer, host);
    if (layer.small < least_for_strided || layer.big < least_for_strided) return none(too_few());
    return {Kernel::strided, all_passes};
}

/// A picture from channels of its own size.
OwnKernel picture(const ConvolutionGeometry& g, const KernelHost& host) {
    if (host.gpu) return none(by_cudnn);
    if (!host.instructions.vectors) return none(without_vectors);
    if (g.in % panel_of_channels != 0)
        return none(text(g.in, " channels are no multiple of ", panel_of_channels));
    return {Kernel::picture, all_passes};
}

OwnKernel convolution(const ConvolutionGeometry& g, bool transposed, ImageShape input,
                      const KernelHost& host) {
    if (g.bias) return none("a bias");
    if (g.stride == 1 && g.padding == 0) {
        const std::int64_t side = transposed ? 1 : g.kernel;
        if (input.height == side && input.width == side) return {Kernel::product, all_passes};
        return none("images on both sides");
    }
    const bool same_size = g.kernel == 3 && g.stride == 1 && g.padding == 1;
    if (!transposed && same_size && g.out <= most_at_full_size) return picture(g, host);
    if (g.kernel != 4 || g.stride != 2 || g.padding != 1)
        return none(text("kernel ", g.kernel, ", stride ", g.stride, ", padding ", g.padding));
    const bool even = transposed || (input.height % 2 == 0 && input.width % 2 == 0);
    return doubling({transposed, transposed ? g.in : g.out, transposed ? g.out : g.in, even}, host);
}

/// Calls with(layer, its input) for each layer inside a residual block.
template <class With>
void each_inside(const LayerDescription& block, ImageShape input, With with) {
    for (const NetDescription& net : nets_inside(block, input)) {
        const auto shapes = shapes_of(net);
        for (std::size_t i = 0; i < net.layers.size(); ++i) with(net.layers[i], shapes[i]);
    }
}

OwnKernel inside(const LayerDescription& block, ImageShape input, const KernelHost& host) {
    bool any = false;
    each_inside(block, input, [&](const LayerDescription& layer, ImageShape shape) {
        any = any || own_kernel(layer, shape, host).kernel != Kernel::aten;
    });
    if (!any) return none("no kernel for a layer inside");
    return {Kernel::inside, all_passes, true};
}

void add_names(std::vector<std::string>& known, const NetDescription& net) {
    for (const LayerDescription& layer : net.layers) {
        known.push_back(name_in_choice(net, layer));
        for (NetDescription inner : nets_inside(layer, {})) {
            inner.name = net.name;
            add_names(known, inner);
        }
    }
}

/// `known`: what the choice may leave, of what is `described`.
void check_names(const KernelChoice& choice, const std::string& described,
                 const std::vector<std::string>& known) {
    for (const auto& [name, passes] : choice.left()) {
        if (std::find(known.begin(), known.end(), name) != known.end()) continue;
        const auto near = nearest(name, known);
        throw UsageError(
            text("--kernels ", to_string(choice), ": ", described, " has no layer ", name),
            Hint{near ? text("did you mean ", *near, '?') : text("as ", known[1])});
    }
}

/// Of the layers inside of it, those of ours that the choice takes.
Residual with_kernels_inside(Residual block, const NetDescription& net, ImageShape input,
                             const KernelOptions& options) {
    block.body = with_kernels({net.name, input, std::move(block.body)}, options).layers;
    block.shortcut = with_kernels({net.name, input, std::move(block.shortcut)}, options).layers;
    return block;
}

Residual by_aten_inside(Residual block) {
    block.body = by_aten({{}, {}, std::move(block.body)}).layers;
    block.shortcut = by_aten({{}, {}, std::move(block.shortcut)}).layers;
    return block;
}

}  // namespace

std::string_view to_string(Kernel kernel) { return name_of(kernel, names_of_kernels); }

OwnKernel own_kernel(const LayerDescription& layer, ImageShape input, const KernelHost& host) {
    if (host.precision == Precision::fp64) return none("fp64");
    return std::visit(
        Overloaded{
            [&](const Convolution& c) { return convolution(c, false, input, host); },
            [&](const TransposedConvolution& c) { return convolution(c, true, input, host); },
            [&](const BatchNorm&) {
                if (host.sync_batch_norm) return none("ranks normalise together");
                return OwnKernel{Kernel::batch_norm, all_passes, true};
            },
            [&](const Tanh&) {
                if (host.gpu) return none("a GPU");
                return OwnKernel{Kernel::tanh, {.forward = true}, false, "B has none"};
            },
            [](const LeakyRelu&) { return none("no kernel"); },
            [](const Redistribute&) { return none("no kernel"); },
            [](const Linear&) { return none("no kernel"); },
            [](const MaxPool&) { return none("no kernel"); },
            [](const AdaptiveAveragePool&) { return none("no kernel"); },
            [](const Dropout&) { return none("no kernel"); },
            [&](const Residual&) { return inside(layer, input, host); }},
        layer.kind);
}

Passes taken(const OwnKernel& own, Passes chosen) {
    if (own.as_a_whole && chosen != all_passes) return no_pass;
    return {own.passes.forward && chosen.forward,
            own.passes.backward_input && chosen.backward_input,
            own.passes.backward_weights && chosen.backward_weights};
}

std::string name_in_choice(const NetDescription& net, const LayerDescription& layer) {
    return text(net.name, '.', layer.name);
}

void check_layers(const KernelChoice& choice, const std::string& name_of_nets,
                  const std::vector<NetDescription>& nets) {
    std::vector<std::string> known{std::string(adam_in_choice)};
    for (const NetDescription& net : nets) add_names(known, net);
    check_names(choice, name_of_nets, known);
}

NetDescription with_kernels(NetDescription net, const KernelOptions& options) {
    const auto shapes = shapes_of(net);
    for (std::size_t i = 0; i < net.layers.size(); ++i) {
        LayerDescription& layer = net.layers[i];
        const OwnKernel own = own_kernel(layer, shapes[i], options.host);
        const Passes ours = taken(own, options.choice.ours(name_in_choice(net, layer)));
        const auto by = [&](bool is_ours) { return is_ours ? own.kernel : Kernel::aten; };
        layer.kernels = {by(ours.forward), by(ours.backward_input), by(ours.backward_weights)};
        if (const auto* block = std::get_if<Residual>(&layer.kind))
            layer.kind = ours == no_pass ? by_aten_inside(*block)
                                         : with_kernels_inside(*block, net, shapes[i], options);
    }
    return net;
}

NetDescription by_aten(NetDescription net) {
    for (LayerDescription& layer : net.layers) {
        layer.kernels = {};
        if (const auto* block = std::get_if<Residual>(&layer.kind))
            layer.kind = by_aten_inside(*block);
    }
    return net;
}

}  // namespace civitas::net
