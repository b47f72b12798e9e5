#include "pass_launch.hpp"

#include "civitas/net/layer_kinds.hpp"
#include "civitas/steps/cuda_graphs.hpp"

#include <algorithm>

namespace civitas::steps {
namespace {

/// Micro-batches of a rank's step: what has been recorded takes memory, and time, for each of them.
constexpr std::int64_t most_recorded = 64;

bool draws_on_the_host(const planner::Nets& nets) {
    const auto drops = [](const net::NetDescription& net) {
        return std::any_of(
            net.layers.begin(), net.layers.end(),
            [](const net::LayerDescription& layer) { return net::traits_of(layer.kind).drops; });
    };
    return std::any_of(nets.all().begin(), nets.all().end(), drops);
}

}  // namespace

std::string why_no_graphs(const Run& run) {
    const planner::Configuration& c = run.configuration;
    const MeshShape& mesh = run.plan.layout.mesh;
    if (!run.process.device.is_cuda()) return "it computes on CPUs";
    if (c.layout_options.cuda_graphs == CudaGraphs::off) return "--cuda-graphs off";
    if (c.update.kind != UpdateKind::sync)
        return text("--update ", to_string(c.update.kind),
                    " brings weights in the middle of a step");
    if (mesh[Axis::pipe] > 1) return "stages exchange messages in the middle of passes";
    if (mesh[Axis::tensor] > 1) return "layers exchange numbers along the tensor axis";
    if (shards_gradients(level_among(mesh[Axis::data], run.plan.layout.shard)))
        return "gradients are summed over ranks in the middle of passes";
    if (run.plan.layout.replicas > 1) return "threads of one process record none";
    if (c.problem.sync_batch_norm) return "--sync-batch-norm brings moments to the host";
    if (draws_on_the_host(c.problem.nets)) return "dropout is drawn on the host";
    if (c.problem.micro_batches() / mesh[Axis::data] > most_recorded)
        return text("a rank has more than ", most_recorded, " micro-batches of a step");
    return {};
}

PassLaunch::PassLaunch(const Run& run) {
    if (!why_no_graphs(run).empty()) return;
    stream_.emplace(run.process.device);
    graphs_ = gpu::graphs_of(run.process.device);
}

parallel::Launch PassLaunch::next(bool watched) {
    if (!graphs_ || watched || steps_++ < steps_before_graphs) return parallel::Launch::each;
    return parallel::Launch::graphs;
}

}  // namespace civitas::steps
