#include "redistribution.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/overloaded.hpp"

namespace civitas::net {
namespace {

Sharding spread(Placement placement) { return placement == Placement::shard ? sliced : replicated; }

/// What a layer takes and gives.
std::pair<Sharding, Sharding> ends_of(ChannelSplit cut) {
    switch (cut) {
        case ChannelSplit::whole:
        case ChannelSplit::inside: return {replicated, replicated};
        case ChannelSplit::output: return {shared, sliced};
        case ChannelSplit::input: return {sliced, partial};
        case ChannelSplit::channels: break;
    }
    return {sliced, sliced};
}

std::optional<Redistribute> between(Sharding before, Sharding after, int parts) {
    if (before == after) return std::nullopt;
    return Redistribute{before, after, parts};
}

/// Direct exchange sends every value but the own ones once: to who adds it, or to who lacks it.
int rounds(Placement before, Placement after) {
    if (before == after || after == Placement::partial) return 0;
    if (before == Placement::partial) return after == Placement::shard ? 1 : 2;
    return before == Placement::shard ? 1 : 0;
}

template <class Norm>
Norm normalised_part(Norm whole, const LayerPart& part) {
    if (part.cut != ChannelSplit::whole) whole.channels /= part.parts;
    return whole;
}

template <class Geometry>
Geometry part_of(Geometry whole, const LayerPart& part) {
    if (part.cut == ChannelSplit::input) whole.in /= part.parts;
    if (part.cut == ChannelSplit::output) whole.out /= part.parts;
    return whole;
}

Residual cut_inside(const LayerDescription& layer, const LayerPart& part, ImageShape input) {
    std::vector<std::vector<LayerDescription>> parts;
    for (const NetDescription& net : nets_inside(layer, input))
        parts.push_back(net.layers.empty()
                            ? net.layers
                            : local_net(net, cheapest_split(net, part.parts), part.part).layers);
    return {parts[0], parts[1], std::get<Residual>(layer.kind).activation};
}

LayerKind part_of(const LayerDescription& layer, const LayerPart& part, ImageShape input) {
    return std::visit(
        Overloaded{
            [&](const Convolution& c) -> LayerKind { return part_of(c, part); },
            [&](const TransposedConvolution& c) -> LayerKind { return part_of(c, part); },
            [&](const BatchNorm& n) -> LayerKind { return normalised_part(n, part); },
            [&](const BatchNormActivation& n) -> LayerKind { return normalised_part(n, part); },
            [](const LeakyRelu& alone) -> LayerKind { return alone; },
            [](const Tanh& alone) -> LayerKind { return alone; },
            [](const MaxPool& alone) -> LayerKind { return alone; },
            [](const AdaptiveAveragePool& alone) -> LayerKind { return alone; },
            [](const Dropout& alone) -> LayerKind { return alone; },
            [&](const Linear& l) -> LayerKind { return part_of(l, part); },
            [&](const Residual& whole) -> LayerKind {
                if (part.cut == ChannelSplit::inside) return cut_inside(layer, part, input);
                return whole;
            },
            [](const Redistribute& between) -> LayerKind { return between; }},
        layer.kind);
}

}  // namespace

Redistributions redistributions_of(const LayerSplit& cut, int parts) {
    const auto [taken, given] = ends_of(cut.cut);
    return {between(spread(cut.before), taken, parts), between(given, spread(cut.after), parts)};
}

ExchangeRounds rounds_of(const Redistribute& e) {
    return {rounds(e.before.value, e.after.value), rounds(e.after.gradient, e.before.gradient)};
}

std::int64_t values_exchanged(const Redistribute& e, std::int64_t elements) {
    const ExchangeRounds rounds = rounds_of(e);
    return elements * (rounds.forward + rounds.backward);
}

std::int64_t values_exchanged(const NetDescription& part) {
    const auto shapes = shapes_of(part);
    std::int64_t values = 0;
    for (std::size_t i = 0; i < part.layers.size(); ++i)
        if (const auto* e = std::get_if<Redistribute>(&part.layers[i].kind))
            values += values_exchanged(
                *e, shapes[i].elements() * (e->before.value == Placement::shard ? e->parts : 1));
        else
            for (const NetDescription& inner : nets_inside(part.layers[i], shapes[i]))
                values += values_exchanged(inner);
    return values;
}

TensorSplit part_of(const TensorSplit& plan, Range layers) {
    const auto first = plan.layers.begin() + layers.begin;
    return {plan.parts, {first, first + layers.count}};
}

ImageShape local_shape(const NetDescription& net, const TensorSplit& plan, std::int64_t layer) {
    const auto i = static_cast<std::size_t>(layer);
    ImageShape shape = shapes_of(net).at(i);
    const bool last = i == plan.layers.size();
    const Placement placement = last ? plan.layers.back().after : plan.layers.at(i).before;
    if (placement == Placement::shard) shape.channels /= plan.parts;
    return shape;
}

NetDescription local_net(const NetDescription& net, const TensorSplit& plan, int part) {
    ensure(plan.layers.size() == net.layers.size() && part < plan.parts, "a plan of this net");
    NetDescription local{net.name, local_shape(net, plan, 0), {}};
    const auto shapes = shapes_of(net);
    for (std::size_t i = 0; i < net.layers.size(); ++i) {
        const std::string& name = net.layers[i].name;
        const LayerSplit& cut = plan.layers[i];
        const LayerPart mine{cut.cut, part, plan.parts};
        const auto [before, after] = redistributions_of(cut, plan.parts);
        if (before) local.layers.push_back({name + ".in", *before});
        local.layers.push_back({name, part_of(net.layers[i], mine, shapes[i]), mine});
        if (after) local.layers.push_back({name + ".out", *after});
    }
    return local;
}

}  // namespace civitas::net
