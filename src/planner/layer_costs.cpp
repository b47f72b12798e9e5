#include "civitas/planner/layer_costs.hpp"

#include "stage_memory.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/overloaded.hpp"
#include "civitas/net/layer_kinds.hpp"
#include "civitas/net/tensor_split.hpp"
#include "civitas/planner/layer_timings.hpp"

#include <algorithm>

namespace civitas::planner {
namespace {

/// Values that F, B and W of a layer read and write, in inputs and outputs of the layer.
struct Passes {
    double forward, backward_input, backward_weights;
};
Passes passes_of(const net::LayerDescription& layer) {
    constexpr Passes of_activation{1, 1.5, 0};
    return std::visit(Overloaded{[](const net::Convolution&) {
                                     return Passes{1, 1, 1};
                                 },
                                 [](const net::TransposedConvolution&) {
                                     return Passes{1, 1, 1};
                                 },
                                 // The moments come first, then the values.
                                 [](const net::BatchNorm&) {
                                     return Passes{1.5, 2.5, 0};
                                 },
                                 [&](const net::LeakyRelu&) { return of_activation; },
                                 [&](const net::Tanh&) { return of_activation; },
                                 // B finds the maxima of F again.
                                 [](const net::MaxPool&) {
                                     return Passes{1, 2, 0};
                                 },
                                 [](const net::Linear&) {
                                     return Passes{1, 1, 1};
                                 },
                                 [](const net::AdaptiveAveragePool&) {
                                     return Passes{1, 1, 0};
                                 },
                                 [](const net::Dropout&) {
                                     return Passes{2, 1.5, 0};
                                 },
                                 // Two outputs are added up; so are two gradients of the input.
                                 [](const net::Residual&) {
                                     return Passes{2, 2.5, 0};
                                 },
                                 [](const net::Redistribute&) {
                                     return Passes{0, 0, 0};
                                 }},
                      layer.kind);
}

double weights_of(const net::LayerDescription& layer) {
    double sum = 0;
    for (const auto& parameter : net::parameters_of(layer))
        sum += static_cast<double>(parameter.elements());
    return sum;
}

/// What a rank sends in F and in B of a layer; nothing but for exchanges, and blocks with some.
struct LayerExchanges {
    schedule::ExchangeTraffic forward, backward;
};

/// A micro-batch, and what computes it.
struct Setting {
    std::int64_t micro_batch;
    ValueBytes values;
    Rates rates = {};
};

/// Calls with(layer, its input, its output) for each layer of a net.
template <class With>
void each_layer(const net::NetDescription& net, With with) {
    const auto shapes = net::shapes_of(net);
    for (std::size_t i = 0; i < net.layers.size(); ++i)
        with(net.layers[i], shapes[i], shapes[i + 1]);
}

LayerExchanges exchanges_of(const net::LayerDescription& layer, net::ImageShape input,
                            const Setting& of) {
    LayerExchanges sum;
    for (const net::NetDescription& net : net::nets_inside(layer, input))
        each_layer(net,
                   [&](const net::LayerDescription& inner, net::ImageShape x, net::ImageShape) {
                       const auto sent = exchanges_of(inner, x, of);
                       sum.forward += sent.forward;
                       sum.backward += sent.backward;
                   });
    const auto* exchange = net::redistribute_of(layer);
    if (exchange == nullptr) return sum;
    const bool sliced = exchange->before.value == net::Placement::shard;
    const std::int64_t elements = input.elements() * (sliced ? exchange->parts : 1);
    const std::int64_t a_round =
        of.micro_batch * elements * of.values.compute * (exchange->parts - 1) / exchange->parts;
    const auto [forward, backward] = net::rounds_of(*exchange);
    return {{forward, forward * a_round}, {backward, backward * a_round}};
}

/// Of exchanges, those inside of a block too.
LayerTimes exchange_times(const net::LayerDescription& layer, net::ImageShape input,
                          const Setting& of) {
    LayerTimes sum;
    for (const net::NetDescription& net : net::nets_inside(layer, input))
        each_layer(net, [&](const net::LayerDescription& inner, net::ImageShape x,
                            net::ImageShape) { sum += exchange_times(inner, x, of); });
    const auto* exchange = net::redistribute_of(layer);
    if (exchange == nullptr) return sum;
    const auto sent = exchanges_of(layer, input, of);
    const auto seconds = [&](const schedule::ExchangeTraffic& traffic) {
        return of.rates.tensor.seconds(traffic.rounds * (exchange->parts - 1), traffic.bytes);
    };
    return {seconds(sent.forward), seconds(sent.backward), 0};
}

/// Of all but exchanges.
LayerTimes computing_times(const net::LayerDescription& layer, net::ImageShape input,
                           net::ImageShape output, const Setting& of) {
    LayerTimes sum;
    const auto nets = net::nets_inside(layer, input);
    for (const net::NetDescription& net : nets)
        each_layer(net, [&](const net::LayerDescription& inner, net::ImageShape x,
                            net::ImageShape y) { sum += computing_times(inner, x, y, of); });
    const bool is_block = !nets.empty();
    const auto samples = static_cast<double>(of.micro_batch);
    const double operations =
        is_block ? 0 : samples * net::forward_flops(layer, input) / of.rates.flops;
    const double bytes = static_cast<double>(of.values.compute) *
                         (samples * static_cast<double>(input.elements() + output.elements()) +
                          (is_block ? 0 : weights_of(layer)));
    const auto seconds = [&](double pass) {
        return pass == 0 ? 0 : operations + pass * bytes / of.rates.bytes;
    };
    const Passes passes = passes_of(layer);
    sum +=
        {seconds(passes.forward), seconds(passes.backward_input), seconds(passes.backward_weights)};
    return sum;
}

/// Layers until the first with weights, that layer included: B of these is left out where nothing
/// wants the gradient of a net's input.
std::size_t layers_to_weights(const net::NetDescription& stage) {
    std::size_t count = 0;
    while (count < stage.layers.size() && net::parameters_of(stage.layers[count]).empty()) ++count;
    return std::min(count + 1, stage.layers.size());
}

double scaled(double whole, double part_by_formula, double whole_by_formula) {
    return whole_by_formula == 0 ? 0 : whole * (part_by_formula / whole_by_formula);
}

}  // namespace

std::vector<LayerTimes> estimated_times(const net::NetDescription& net, std::int64_t micro_batch,
                                        ValueBytes values, Rates rates) {
    const Setting of{micro_batch, values, rates};
    std::vector<LayerTimes> times;
    each_layer(net, [&](const net::LayerDescription& layer, net::ImageShape x, net::ImageShape y) {
        times.push_back(computing_times(layer, x, y, of));
        times.back() += exchange_times(layer, x, of);
    });
    return times;
}

LayerTimings estimated_timings(const Workload& workload, const MachineModel& machine, int ranks) {
    const net::Precision precision = workload.precision;
    LayerTimings timings;
    for (const WorkloadNet& net : workload.nets)
        timings.nets.push_back(estimated_times(net.description, workload.micro_batch,
                                               value_bytes(precision),
                                               rates_of(machine, ranks, precision)));
    return timings;
}

std::vector<LayerTimes> times_of_part(const net::NetDescription& whole,
                                      std::span<const LayerTimes> times,
                                      const net::NetDescription& part, std::int64_t micro_batch,
                                      ValueBytes values, Rates rates) {
    const Setting of{micro_batch, values, rates};
    const auto formula = estimated_times(whole, micro_batch, values, rates);
    std::vector<LayerTimes> mine;
    std::size_t at = 0;
    each_layer(part, [&](const net::LayerDescription& layer, net::ImageShape x, net::ImageShape y) {
        mine.push_back(exchange_times(layer, x, of));
        if (net::redistribute_of(layer) != nullptr) return;
        ensure(layer.name == whole.layers.at(at).name, "a part of this net");
        const LayerTimes computing = computing_times(layer, x, y, of);
        const LayerTimes& all = times[at];
        const LayerTimes& known = formula[at++];
        mine.back() += {
            scaled(all.forward_s, computing.forward_s, known.forward_s),
            scaled(all.backward_input_s, computing.backward_input_s, known.backward_input_s),
            scaled(all.backward_weights_s, computing.backward_weights_s, known.backward_weights_s)};
    });
    return mine;
}

schedule::StageCosts stage_costs(const net::NetDescription& stage, std::int64_t micro_batch,
                                 ValueBytes values, std::span<const LayerTimes> times) {
    const auto shapes = net::shapes_of(stage);
    const std::size_t to_weights = layers_to_weights(stage);
    const KeptEnds ends = kept_ends(stage);
    schedule::StageCosts costs{
        .saved_bytes = saved_bytes(stage, micro_batch, values),
        .bytes_from_B_to_W = bytes_from_B_to_W(stage, micro_batch, values),
        .input_bytes = micro_batch * shapes.front().elements() * values.compute,
        .output_bytes = micro_batch * shapes.back().elements() * values.compute,
        .saves_input = ends.saves_input,
        .holds_input = ends.holds_input,
        .saves_output = ends.saves_output};
    for (std::size_t i = 0; i < stage.layers.size(); ++i) {
        const auto sent = exchanges_of(stage.layers[i], shapes[i], {micro_batch, values});
        costs.forward_s += times[i].forward_s;
        costs.backward_input_s += times[i].backward_input_s;
        costs.backward_weights_s += times[i].backward_weights_s;
        costs.forward_exchanges += sent.forward;
        costs.backward_exchanges += sent.backward;
        if (i >= to_weights) continue;
        costs.to_net_input_s += times[i].backward_input_s;
        costs.to_net_input_exchanges += sent.backward;
    }
    return costs;
}

}  // namespace civitas::planner
