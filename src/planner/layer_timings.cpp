#include "civitas/planner/layer_timings.hpp"

#include "civitas/planner/nets.hpp"

namespace civitas::planner {

LayerTimings estimated_timings(const Problem& problem, const MachineModel& machine, int ranks) {
    const net::Precision precision = problem.precision;
    const auto& gan = problem.gan();
    const auto times = [&](const net::NetDescription& net) {
        return estimated_times(net, problem.micro_batch, value_bytes(precision),
                               rates_of(machine, ranks, precision));
    };
    return {times(gan.generator), times(gan.discriminator)};
}

}  // namespace civitas::planner
