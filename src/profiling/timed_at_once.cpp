#include "civitas/profiling/timed_at_once.hpp"

#include "civitas/base/text.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/profiling/rates.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace civitas::profiling {
namespace {

using planner::LayerTimes;

/// Of a rank that computes nothing.
planner::LayerTimings no_times(const planner::Workload& workload) {
    planner::LayerTimings none;
    for (const planner::WorkloadNet& net : workload.nets)
        none.nets.emplace_back(net.description.layers.size());
    return none;
}

Timed timed_here(const TimedWork& work, at::Device device) {
    if (work.rank.computes)
        return {measured_timings(work.workload, device, work.input_work),
                measured_memory_rate(device)};
    KernelTimings none{no_times(work.workload)};
    if (work.workload.kernels.automatic) none.by_aten = none.as_described;
    return {std::move(none), std::numeric_limits<double>::infinity()};
}

/// Of all ranks what counts, where those that compute nothing have brought 0.
std::vector<LayerTimes> over_ranks(const comm::Communicator& world,
                                   const std::vector<LayerTimes>& mine, bool in_step,
                                   std::int64_t computing) {
    const auto add = [&](double& sum, double one) {
        sum = in_step ? std::max(sum, one) : sum + one / static_cast<double>(computing);
    };
    std::vector<LayerTimes> taken(mine.size());
    const auto all = world.all_gather(std::span<const LayerTimes>(mine));
    for (std::size_t i = 0; i < all.size(); ++i) {
        LayerTimes& times = taken[i % mine.size()];
        add(times.forward_s, all[i].forward_s);
        add(times.backward_input_s, all[i].backward_input_s);
        add(times.backward_weights_s, all[i].backward_weights_s);
    }
    return taken;
}

}  // namespace

std::string timing_line(int processes, int threads, int ranks_of_node) {
    return text("Layers timed by ",
                processes == 1 ? "one process alone"
                               : text(processes, " processes at once, the slowest of each"),
                ", with ", counted(threads, "thread", "threads"), processes == 1 ? "" : " each",
                processes == ranks_of_node
                    ? ""
                    : text("; ", ranks_of_node, " ranks at once take ",
                           processes < ranks_of_node ? "longer" : "less", ": mpirun -n ",
                           ranks_of_node, " --bind-to none times those"),
                ".\n\n");
}

Timed timed_at_once(const comm::Communicator& world, const TimedWork& work, at::Device device) {
    world.barrier();
    Timed mine;
    const comm::Outcome outcome = comm::outcome_of([&] { mine = timed_here(work, device); });
    world.barrier_at_rest([] {});  // who is done leaves the cores to the others
    comm::require_agreement(world, outcome);
    const std::int64_t computing = world.sum(std::int64_t{work.rank.computes});
    Timed timed;
    timed.memory_rate = -world.max(-mine.memory_rate);
    for (const auto timings : {&KernelTimings::as_described, &KernelTimings::by_aten})
        for (const auto& layers : (mine.timings.*timings).nets)
            (timed.timings.*timings)
                .nets.push_back(over_ranks(world, layers, work.rank.in_step, computing));
    return timed;
}

}  // namespace civitas::profiling
