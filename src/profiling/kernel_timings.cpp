#include "civitas/profiling/kernel_timings.hpp"

#include "civitas/net/own_kernel.hpp"

#include <utility>

namespace civitas::profiling {
namespace {

using planner::LayerTimes;

/// Whether ATen is faster by more than neighbours on the machine can make it seem: by a tenth, and
/// by what a step may feel. Measured beside other jobs, a hair's breadth had chosen slower steps.
class Faster {
public:
    explicit Faster(const KernelTimings& timings) {
        for (const auto& layers : timings.as_described.nets)
            for (const LayerTimes& ours : layers) least_saved_ += of_all * ours.sum();
    }
    bool operator()(double aten, double ours) const {
        return aten < clearly * ours && ours - aten > least_saved_;
    }

private:
    static constexpr double clearly = 0.9;
    static constexpr double of_all = 0.005;
    double least_saved_ = 0;  ///< seconds
};

net::Passes clearly_faster(const Faster& faster, const LayerTimes& aten, const LayerTimes& ours,
                           const net::OwnKernel& own) {
    if (own.as_a_whole) return faster(aten.sum(), ours.sum()) ? net::all_passes : net::no_pass;
    return {
        own.passes.forward && faster(aten.forward_s, ours.forward_s),
        own.passes.backward_input && faster(aten.backward_input_s, ours.backward_input_s),
        own.passes.backward_weights && faster(aten.backward_weights_s, ours.backward_weights_s)};
}

/// Calls with(net, layer, the kernel of ours for it, times by ours, times by ATen) layer by layer.
template <class With>
void each_layer(const planner::Workload& workload, const KernelTimings& timings, With with) {
    for (std::size_t n = 0; n < workload.nets.size(); ++n) {
        const net::NetDescription& net = workload.nets[n].description;
        const auto shapes = net::shapes_of(net);
        for (std::size_t i = 0; i < net.layers.size(); ++i)
            with(n, net.layers[i], net::own_kernel(net.layers[i], shapes[i], workload.kernels.host),
                 timings.as_described.nets.at(n).at(i), timings.by_aten.nets.at(n).at(i));
    }
}

}  // namespace

net::KernelChoice choose_kernels(const planner::Workload& workload, const KernelTimings& timings) {
    net::KernelChoice choice(net::KernelSet::fast);
    const Faster faster(timings);
    each_layer(workload, timings,
               [&](std::size_t n, const net::LayerDescription& layer, const net::OwnKernel& own,
                   const LayerTimes& ours, const LayerTimes& aten) {
                   const net::Passes left = clearly_faster(faster, aten, ours, own);
                   if (left != net::no_pass)
                       choice.leave(net::name_in_choice(workload.nets[n].description, layer), left);
               });
    return choice;
}

planner::Configuration with_choice(planner::Configuration c, const net::KernelChoice& choice) {
    planner::NetChoice nets = c.problem.nets.choice();
    nets.kernels.choice = choice;
    nets.kernels.automatic = false;
    c.problem.nets = planner::Nets(std::move(nets));
    const std::string asked = "kernels = auto\n";
    if (const auto at = c.resolved.find(asked); at != std::string::npos)
        c.resolved.replace(at, asked.size(), "kernels = " + to_string(choice) + '\n');
    return c;
}

ChosenWorkload with_choice(const planner::Workload& workload, const KernelTimings& timings,
                           const planner::Configuration& chosen) {
    ChosenWorkload made{workload, {}};
    made.workload.kernels = chosen.problem.kernels();
    const auto nets = planner::workload_of(chosen.problem, chosen.hyperparameters).nets;
    for (std::size_t n = 0; n < nets.size(); ++n)
        made.workload.nets[n].description = nets[n].description;
    made.timings.nets.resize(nets.size());
    each_layer(workload, timings,
               [&](std::size_t n, const net::LayerDescription& layer, const net::OwnKernel& own,
                   const LayerTimes& ours, const LayerTimes& aten) {
                   const auto name = net::name_in_choice(workload.nets[n].description, layer);
                   const net::Passes by =
                       net::taken(own, chosen.problem.kernels().choice.ours(name));
                   auto& times = made.timings.nets[n];
                   times.push_back({(by.forward ? ours : aten).forward_s,
                                    (by.backward_input ? ours : aten).backward_input_s,
                                    (by.backward_weights ? ours : aten).backward_weights_s});
                   if (std::holds_alternative<net::BatchNormActivation>(layer.kind) && !by.forward)
                       times.emplace_back();
               });
    return made;
}

}  // namespace civitas::profiling
