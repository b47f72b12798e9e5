#include "civitas/parallel/costs.hpp"

#include "civitas/base/tree.hpp"

namespace civitas::parallel {
namespace {

bool convolves(const nn::LayerDescription& layer) {
    return std::holds_alternative<nn::Convolution>(layer.kind) ||
           std::holds_alternative<nn::TransposedConvolution>(layer.kind);
}
const nn::BatchNorm* batch_norm_of(const nn::LayerDescription& layer) {
    return std::get_if<nn::BatchNorm>(&layer.kind);
}
bool activates(const nn::LayerDescription& layer) {
    return std::holds_alternative<nn::LeakyRelu>(layer.kind) ||
           std::holds_alternative<nn::Tanh>(layer.kind);
}

/// Values that F, B and W of a layer read and write, in inputs and outputs of the layer.
struct Passes {
    double forward, backward_input, backward_weights;
};
Passes passes_of(const nn::LayerDescription& layer) {
    if (convolves(layer)) return {1, 1, 1};
    if (batch_norm_of(layer) != nullptr) return {1.5, 2.5, 0};  // moments first, then values
    return {1, 1.5, 0};
}

double weights_of(const nn::LayerDescription& layer) {
    double sum = 0;
    for (const auto& parameter : nn::parameters_of(layer))
        sum += static_cast<double>(parameter.elements());
    return sum;
}

/// Seconds until the first layer with weights is through, that layer included: B of these is left
/// out where nothing wants the gradient of a net's input.
double backward_to_input(const nn::NetDescription& stage, std::span<const LayerTimes> times) {
    double sum = 0;
    for (std::size_t i = 0; i < stage.layers.size(); ++i) {
        sum += times[i].backward_input_s;
        if (!nn::parameters_of(stage.layers[i]).empty()) break;
    }
    return sum;
}

}  // namespace

std::vector<LayerTimes> estimated_times(const nn::NetDescription& net, std::int64_t micro_batch,
                                        ValueBytes values, Rates rates) {
    const auto shapes = nn::shapes_of(net);
    const auto samples = static_cast<double>(micro_batch);
    std::vector<LayerTimes> times;
    for (std::size_t i = 0; i < net.layers.size(); ++i) {
        const auto& layer = net.layers[i];
        const double operations = samples * nn::forward_flops(layer, shapes[i]) / rates.flops;
        const double bytes =
            static_cast<double>(values.compute) *
            (samples * static_cast<double>(shapes[i].elements() + shapes[i + 1].elements()) +
             weights_of(layer));
        const Passes passes = passes_of(layer);
        const auto seconds = [&](double pass) {
            return pass == 0 ? 0 : operations + pass * bytes / rates.bytes;
        };
        times.push_back({seconds(passes.forward), seconds(passes.backward_input),
                         seconds(passes.backward_weights)});
    }
    return times;
}

Visits visits_of(const Schedule& schedule, Net net, int stages) {
    Visits all;
    for (const auto& actions : schedule.coordinates)
        for (const Action& action : actions) {
            if (action.net != net) continue;
            switch (action.kind) {
                case Kind::F:
                case Kind::redraw:
                case Kind::recompute: ++all.forward; break;
                case Kind::BW: ++all.backward_weights; [[fallthrough]];
                case Kind::B: ++all.backward_input; break;
                case Kind::W: ++all.backward_weights; break;
                case Kind::reduce:
                case Kind::step: break;
            }
        }
    return {all.forward / stages, all.backward_input / stages, all.backward_weights / stages};
}

std::int64_t saved_bytes(const nn::NetDescription& stage, std::int64_t micro_batch,
                         ValueBytes values) {
    constexpr std::int64_t of_batch_norm = 4;  // mean, deviation; mean and variance to be observed
    const auto shapes = nn::shapes_of(stage);
    std::int64_t activations = 0;
    std::int64_t statistics = 0;
    for (std::size_t i = 0; i <= stage.layers.size(); ++i) {
        const bool as_output = i > 0 && activates(stage.layers[i - 1]);
        const bool as_input = i < stage.layers.size() && !activates(stage.layers[i]);
        if (as_output || as_input) activations += shapes[i].elements();
        const auto* norm = i < stage.layers.size() ? batch_norm_of(stage.layers[i]) : nullptr;
        if (norm != nullptr) statistics += of_batch_norm * norm->channels;
    }
    return micro_batch * activations * values.compute + statistics * values.master;
}

std::int64_t held_bytes(const nn::NetDescription& stage, std::int64_t micro_batch,
                        ValueBytes values) {
    constexpr std::int64_t of_batch_norm = 4;  // two leaves; mean and variance to be observed
    const auto shapes = nn::shapes_of(stage);
    std::int64_t activations = 0;
    std::int64_t statistics = 0;
    for (std::size_t i = 0; i < stage.layers.size(); ++i) {
        if (convolves(stage.layers[i]))
            activations += shapes[i].elements() + shapes[i + 1].elements();
        if (const auto* norm = batch_norm_of(stage.layers[i]))
            statistics += of_batch_norm * norm->channels;
    }
    return micro_batch * activations * values.compute + statistics * values.master;
}

StageCosts stage_costs(const nn::NetDescription& stage, std::int64_t micro_batch, ValueBytes values,
                       std::span<const LayerTimes> times) {
    const auto shapes = nn::shapes_of(stage);
    StageCosts costs;
    for (const LayerTimes& layer : times) {
        costs.forward_s += layer.forward_s;
        costs.backward_input_s += layer.backward_input_s;
        costs.backward_weights_s += layer.backward_weights_s;
    }
    costs.to_net_input_s = backward_to_input(stage, times);
    costs.saved_bytes = saved_bytes(stage, micro_batch, values);
    costs.held_bytes = held_bytes(stage, micro_batch, values);
    costs.input_bytes = micro_batch * shapes.front().elements() * values.compute;
    costs.output_bytes = micro_batch * shapes.back().elements() * values.compute;
    return costs;
}

NetMemory& NetMemory::operator+=(const NetMemory& other) {
    parameters += other.parameters;
    gradients += other.gradients;
    moments += other.moments;
    mean += other.mean;
    return *this;
}

NetMemory net_memory(const nn::NetDescription& held, LeafCounts leaves, bool mean,
                     ValueBytes values) {
    const std::int64_t arena = ArenaLayout(nn::parameters_of(held)).size();
    const std::int64_t master = arena * values.master;
    const bool copied = values.compute < values.master;
    const std::int64_t levels = tree_depth(leaves.per_pass) + leaves.passes - 1;
    return {.parameters = master + (copied ? arena * values.compute : 0),
            .gradients = levels * master,
            .moments = 2 * master,
            .mean = mean ? master : 0};
}

}  // namespace civitas::parallel
