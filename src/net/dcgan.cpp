#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/net/description.hpp"

#include <algorithm>
#include <array>

namespace civitas::net {
namespace {

using Widths = std::vector<std::int64_t>;

struct Named {
    const char* name;
    std::int64_t pixels;
    std::int64_t nz;
    Widths generator;
};

std::array<Named, 4> named_pairs() {
    return {{{"dcgan-64", 64, 100, {512, 256, 128, 64, 32}},
             {"dcgan-256", 256, 256, {1024, 1024, 512, 256, 128, 64}},
             {"dcgan-512", 512, 256, {1024, 1024, 512, 256, 128, 64, 32}},
             {"dcgan-1024", 1024, 256, {1024, 1024, 512, 256, 128, 64, 32, 16}}}};
}

Named find(std::string_view name) {
    std::vector<std::string> names;
    for (auto& pair : named_pairs()) {
        if (name == pair.name) return pair;
        names.emplace_back(pair.name);
    }
    const auto guess = nearest(name, names);
    const std::string all = join(names, ", ");
    throw UsageError(
        text("unknown net '", name, "'"),
        {guess ? text("did you mean ", *guess, "? Known are ", all) : text("known are ", all)});
}

/// How many widths lead to the pixels: sides go 1 -> 4 -> 8 -> ... -> half of them, and back.
std::size_t doublings(const Named& pair) {
    std::size_t layers = 0;
    for (auto side = pair.pixels; side > 4; side /= 2) ++layers;
    return layers;
}

/// Discriminator widths: doubled layer by layer from 64, never above 512.
Widths mirrored(std::size_t layers) {
    Widths widths;
    for (std::size_t i = 0; i < layers; ++i)
        widths.push_back(std::int64_t{64} << std::min<std::size_t>(i, 3));
    return widths;
}

std::string listed(const Widths& widths) { return join(widths, ","); }

/// As many widths as lead to the pixels, and at most `further` more.
Widths checked(const Named& pair, const char* option, const Widths& changed, Widths standard,
               std::size_t further = 0) {
    if (changed.empty()) return standard;
    if (std::any_of(changed.begin(), changed.end(), [](std::int64_t w) { return w < 1; }))
        throw UsageError(text(option, " ", listed(changed), ": a layer needs at least 1 channel"),
                         {text("the standard ones are ", listed(standard))});
    const auto needed = doublings(pair);
    if (changed.size() < needed || changed.size() > needed + further)
        throw UsageError(
            text(option, " ", listed(changed), ": ", changed.size(), " widths do not lead to the ",
                 pair.pixels, " pixels of ", pair.name, ", which need ", needed,
                 further > 0 ? ", or one more for a last layer of full size" : ""),
            {text("the standard ones are ", listed(standard))});
    return changed;
}

ConvolutionGeometry head(std::int64_t in, std::int64_t out) { return {in, out, 4, 1, 0}; }
ConvolutionGeometry doubling(std::int64_t in, std::int64_t out) { return {in, out, 4, 2, 1}; }
ConvolutionGeometry same_size(std::int64_t in, std::int64_t out) { return {in, out, 3, 1, 1}; }

/// The last layer makes the image: of half its size, or, with a width more, of its own.
NetDescription generator(std::int64_t in, const Widths& widths, std::int64_t channels,
                         bool at_full_size) {
    NetDescription net{"generator", {in, 1, 1}, {}};
    for (std::size_t i = 0; i < widths.size(); ++i) {
        const auto geometry = i == 0 ? head(in, widths[i]) : doubling(in, widths[i]);
        net.layers.push_back({text("deconv", i), TransposedConvolution{geometry}});
        net.layers.push_back({text("norm", i), BatchNorm{widths[i]}});
        net.layers.push_back({text("relu", i), LeakyRelu{0}});
        in = widths[i];
    }
    if (at_full_size)
        net.layers.push_back({text("conv", widths.size()), Convolution{same_size(in, channels)}});
    else
        net.layers.push_back(
            {text("deconv", widths.size()), TransposedConvolution{doubling(in, channels)}});
    net.layers.push_back({text("tanh", widths.size()), Tanh{}});
    return net;
}

NetDescription discriminator(std::int64_t pixels, const Widths& widths, std::int64_t channels,
                             std::int64_t outputs) {
    NetDescription net{"discriminator", {channels, pixels, pixels}, {}};
    std::int64_t in = channels;
    for (std::size_t i = 0; i < widths.size(); ++i) {
        net.layers.push_back({text("conv", i), Convolution{doubling(in, widths[i])}});
        if (i > 0) net.layers.push_back({text("norm", i), BatchNorm{widths[i]}});
        net.layers.push_back({text("leaky", i), LeakyRelu{0.2}});
        in = widths[i];
    }
    net.layers.push_back({text("conv", widths.size()), Convolution{head(in, outputs)}});
    return net;
}

}  // namespace

GanDescription dcgan(std::string_view name, std::int64_t channels, const GanOverrides& changes) {
    const Named pair = find(name);
    if (changes.nz < 0)
        throw UsageError(text("nz ", changes.nz, ": noise needs at least 1 number"));
    const std::int64_t nz = changes.nz == 0 ? pair.nz : changes.nz;
    const auto g = checked(pair, "generator widths", changes.generator_widths, pair.generator, 1);
    const auto d = checked(pair, "discriminator widths", changes.discriminator_widths,
                           mirrored(doublings(pair)));
    const bool at_full_size = g.size() > doublings(pair);
    return {pair.name, pair.pixels, nz,
            generator(nz + changes.conditions, g, channels, at_full_size),
            discriminator(pair.pixels, d, channels, 1 + changes.conditions)};
}

}  // namespace civitas::net
