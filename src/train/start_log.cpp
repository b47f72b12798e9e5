#include "start_log.hpp"

#include "start_report.hpp"

#include "civitas/base/text.hpp"
#include "civitas/base/version.hpp"
#include "civitas/steps/cuda_graphs.hpp"
#include "civitas/steps/plan_files.hpp"
#include "civitas/strategy/served.hpp"

#include <algorithm>

namespace civitas::train {
namespace {

/// Layers with weights that the tensor axis leaves whole.
std::string whole_layers(const net::NetDescription& net, const net::TensorSplit& cuts) {
    std::string names;
    for (std::size_t i = 0; i < net.layers.size(); ++i)
        if (cuts.layers[i].cut == net::ChannelSplit::whole &&
            !net::parameters_of(net.layers[i]).empty())
            names += text(names.empty() ? "" : ", ", net.layers[i].name);
    return names.empty() ? "nothing" : names;
}

void report_splits(const steps::Run& run, schedule::NetId which, const net::NetDescription& net) {
    const net::TensorSplit& cuts = run.plan.layout.split_of(which);
    if (cuts.parts == 1) return;
    const auto part = net::local_net(net, cuts, 0);
    run.log.info(text("tensor axis: ", net.name, " in ", cuts.parts, " parts of ",
                      millions(net::parameter_count(part)), " parameters, ",
                      millions(net::values_exchanged(part)),
                      " values exchanged per sample, whole: ", whole_layers(net, cuts)));
}

/// How many ranks there are, and how they share the work.
std::string ranks_in_words(const steps::Run& run) {
    const int ranks = run.ranks.size();
    const UpdateOptions& update = run.configuration.update;
    const auto line = [&](const auto&... rest) {
        return text(counted(ranks, "rank", "ranks"), rest...);
    };
    if (run.is_of_one_mesh()) return line(", mesh ", to_string(run.plan.layout.mesh));
    if (update.kind == UpdateKind::async) return line(", each by itself");
    if (update.servers == 0) return line(" that serve and work");
    return line(", ", counted(update.servers, "serves", "serve"));
}

std::string graphs_line(const steps::Run& run) {
    const std::string why_not = steps::why_no_graphs(run);
    if (!why_not.empty()) return "no CUDA graphs: " + why_not;
    return text("passes become CUDA graphs after ", steps::steps_before_graphs, " steps");
}

}  // namespace

void report_start(const steps::Run& run, runs::RunState& state) {
    const planner::Configuration& c = run.configuration;
    const planner::Nets& nets = c.problem.nets;
    const comm::Communicator& world = run.mesh.world();
    // Servers are yet to get the gradients that they keep for others.
    std::int64_t held = state.models().bytes();
    if (run.model.workload().served_model)
        held = std::max(held, run.plan.largest_memory().nets.sum());
    held = world.max(held);
    const std::int64_t offloaded = world.max(state.models().offloaded_bytes());
    const auto tiles = run.store.rows(data::Split::train).size();
    run.log.info(text("civitas ", version(), ", ", ranks_in_words(run), ", ",
                      run.process.threads * run.plan.layout.replicas, " threads a rank, ",
                      run.process.instruction_set));
    if (const int size = c.layout_options.node_size; size > 0)
        run.log.info(text("every ", counted(size, "rank counts", "ranks count"), " as a node"));
    for (const std::string& line : layout_lines(run.plan.layout, run.process, nets))
        run.log.info(line);
    if (world.any(run.process.device.is_cuda()) && run.plan.layout.mesh.size() > 1)
        run.log.info("tensors travel by " + run.mesh.backend().name());
    if (run.process.device.is_cuda()) run.log.info(graphs_line(run));
    std::string counts;
    for (const net::NetDescription& net : nets.all())
        counts += text(net.name, ' ', millions(net::parameter_count(net)),
                       counts.empty() ? " parameters, " : ", ");
    run.log.info(text(nets.name(), ", ", nets.pixels(), " px: ", counts, "at most ",
                      megabytes(held), " a rank for weights, moments and sums",
                      offloaded > 0 ? text(", ", megabytes(offloaded), " more ",
                                           place_of(run.plan.layout.offload))
                                    : ""));
    for (const schedule::NetId net : run.plan.layout.schedule.graph.net_ids())
        report_splits(run, net, nets[net]);
    if (const auto line = bits_line(c, run.plan.layout.mesh); line && run.is_root())
        run.log.warn(*line);
    run.log.info(in_words(run.plan));
    if (run.ranks.size() > 1 && run.model.workload().served_model) {
        run.log.info(in_words(run.model.workload().most_traffic(run.plan.layout)));
        const auto idle =
            strategy::idle_workers(*run.model.workload().served_model, c.problem.micro_batch);
        if (!idle.empty() && run.is_root()) run.log.warn(idle);
    }
    steps::keep_plan(run);
    run.log.info(text(c.run_options.tiles, ": ", tiles, " training tiles of ", run.store.size(),
                      ", ", run.store.header().pixels, " px, ", run.store.header().tile_metres,
                      " m"));
    run.log.detail("configuration:\n" + c.resolved);
}

}  // namespace civitas::train
