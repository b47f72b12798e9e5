#include "civitas/planner/layer_timings.hpp"

namespace civitas::planner {

LayerTimings estimated_timings(const Workload& workload, const MachineModel& machine, int ranks) {
    const net::Precision precision = workload.precision;
    LayerTimings timings;
    for (const WorkloadNet& net : workload.nets)
        timings.nets.push_back(estimated_times(net.description, workload.micro_batch,
                                               value_bytes(precision),
                                               rates_of(machine, ranks, precision)));
    return timings;
}

}  // namespace civitas::planner
