/// The cheapest cut of a net, by dynamic programming over its layers. An activation between two
/// layers is held whole or divided:
///   best(0, whole) = 0,  best(0, divided) = infinity,
///   best(i + 1, after) = min over the ways (cut, before, after) of layer i of
///                        best(i, before) + values exchanged before and after that layer
/// in F and B, per sample. The net's cut is what led to best(layers, whole); of equal ways the
/// first counts, and ways() names better ones first. Time grows with the number of layers.
#include "redistribution.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/overloaded.hpp"
#include "civitas/base/text.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace civitas::net {
namespace {

/// What a layer does to channels: sums over them, works on each alone, or has layers inside.
enum class Mixing { sums, none, inside };
Mixing mixing_of(const LayerKind& kind) {
    return std::visit(Overloaded{[](const Convolution&) { return Mixing::sums; },
                                 [](const TransposedConvolution&) { return Mixing::sums; },
                                 [](const Linear&) { return Mixing::sums; },
                                 [](const Residual&) { return Mixing::inside; },
                                 [](const BatchNorm&) { return Mixing::none; },
                                 [](const LeakyRelu&) { return Mixing::none; },
                                 [](const Tanh&) { return Mixing::none; },
                                 [](const MaxPool&) { return Mixing::none; },
                                 [](const AdaptiveAveragePool&) { return Mixing::none; },
                                 [](const Dropout&) { return Mixing::none; },
                                 [](const Redistribute&) { return Mixing::none; }},
                      kind);
}

/// Ways to cut a layer from `in` to `out` channels, better ones first.
std::vector<LayerSplit> ways(const LayerKind& kind, std::int64_t in, std::int64_t out, int parts) {
    const auto divides = [&](std::int64_t count) { return count % parts == 0; };
    const Mixing mixing = mixing_of(kind);
    if (mixing == Mixing::inside)
        return {{ChannelSplit::inside, Placement::replicate, Placement::replicate}};
    std::vector<LayerSplit> all;
    if (mixing == Mixing::none) {
        if (divides(out))
            all.push_back({ChannelSplit::channels, Placement::shard, Placement::shard});
        all.push_back({ChannelSplit::whole, Placement::replicate, Placement::replicate});
        return all;
    }
    std::vector<ChannelSplit> cuts;
    if (divides(in)) cuts.push_back(ChannelSplit::input);
    if (divides(out)) cuts.push_back(ChannelSplit::output);
    if (cuts.empty()) cuts.push_back(ChannelSplit::whole);
    for (const ChannelSplit cut : cuts)
        for (const Placement before : {Placement::shard, Placement::replicate})
            for (const Placement after : {Placement::shard, Placement::replicate})
                if ((before == Placement::replicate || divides(in)) &&
                    (after == Placement::replicate || divides(out)))
                    all.push_back({cut, before, after});
    return all;
}

struct Way {
    std::int64_t values = std::numeric_limits<std::int64_t>::max();
    std::vector<LayerSplit> layers;
};
/// The best way to activations that are whole, and that are divided.
using Ways = std::array<Way, 2>;

Way& leading_to(Ways& ways, Placement placement) {
    return ways.at(placement == Placement::shard ? 1 : 0);
}

std::int64_t values_of(const LayerSplit& cut, int parts, ImageShape input, ImageShape output) {
    const auto [before, after] = redistributions_of(cut, parts);
    return (before ? values_exchanged(*before, input.elements()) : 0) +
           (after ? values_exchanged(*after, output.elements()) : 0);
}

Ways extended(Ways known, const LayerKind& kind, ImageShape input, ImageShape output, int parts) {
    Ways next;
    for (const LayerSplit& cut : ways(kind, input.channels, output.channels, parts)) {
        const Way& way = leading_to(known, cut.before);
        if (way.values == Way{}.values) continue;
        const std::int64_t values = way.values + values_of(cut, parts, input, output);
        Way& best = leading_to(next, cut.after);
        if (values >= best.values) continue;
        best = {values, way.layers};
        best.layers.push_back(cut);
    }
    return next;
}

/// Channels that layers which sum over channels give.
void add_widths(std::vector<std::int64_t>& widths, const NetDescription& net) {
    const auto shapes = shapes_of(net);
    for (std::size_t i = 0; i < net.layers.size(); ++i) {
        if (mixing_of(net.layers[i].kind) == Mixing::sums) widths.push_back(shapes[i + 1].channels);
        for (const NetDescription& inner : nets_inside(net.layers[i], shapes[i]))
            add_widths(widths, inner);
    }
}

/// The same of all but the last.
std::vector<std::int64_t> widths_of(const NetDescription& net) {
    std::vector<std::int64_t> widths;
    add_widths(widths, net);
    if (!widths.empty()) widths.pop_back();
    return widths;
}

Hint divisors_of(const NetDescription& net, const std::vector<std::int64_t>& widths) {
    std::int64_t common = 0;
    for (const std::int64_t width : widths) common = std::gcd(common, width);
    if (common > 1)
        return {text("the widths are multiples of ", common, ": tensor with a divisor of it")};
    return {text("other --", net.name, "-widths, or tensor=1")};
}

/// A cut of the image's channels alone would be of no use.
void require_cut(const NetDescription& net, int parts) {
    const auto widths = widths_of(net);
    if (widths.empty()) return;
    const auto narrowest = std::min_element(widths.begin(), widths.end());
    if (*narrowest < parts)
        throw UsageError(text("tensor=", parts, " is more than the ", *narrowest,
                              " channels of the narrowest layer of ", net.name),
                         divisors_of(net, widths));
    if (std::any_of(widths.begin(), widths.end(), [&](auto w) { return w % parts == 0; })) return;
    throw UsageError(text("tensor=", parts, " divides no layer of ", net.name,
                          ", whose widths are ", join(widths, ",")),
                     divisors_of(net, widths));
}

}  // namespace

TensorSplit tensor_split(const NetDescription& net, int parts) {
    ensure(parts > 0, "a net is cut into one part at least");
    if (parts == 1) return {1, std::vector<LayerSplit>(net.layers.size())};
    require_cut(net, parts);
    return cheapest_split(net, parts);
}

TensorSplit cheapest_split(const NetDescription& net, int parts) {
    const auto shapes = shapes_of(net);
    Ways known;
    known[0].values = 0;
    for (std::size_t i = 0; i < net.layers.size(); ++i)
        known = extended(std::move(known), net.layers[i].kind, shapes[i], shapes[i + 1], parts);
    return {parts, std::move(known[0].layers)};
}

}  // namespace civitas::net
