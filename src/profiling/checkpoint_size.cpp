#include "civitas/profiling/checkpoint_size.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/planner/workload.hpp"

#include <sys/resource.h>

namespace civitas::profiling {

std::int64_t checkpoint_bytes(const planner::Problem& problem,
                              const planner::Hyperparameters& hyperparameters) {
    std::int64_t values = 0;
    const planner::Workload workload = planner::workload_of(problem, hyperparameters);
    for (const planner::WorkloadNet& net : workload.nets)
        values += net.saved_numbers() * net::parameter_count(net.description);
    return values * planner::value_bytes(problem.precision).master;
}

void require_checkpoint_fits(const planner::Problem& problem,
                             const planner::Hyperparameters& hyperparameters) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
    const std::int64_t needed = checkpoint_bytes(problem, hyperparameters);
    if (static_cast<rlim_t>(needed) <= limit.rlim_cur) return;
    throw UsageError(text("a checkpoint of this run takes ", megabytes(needed),
                          ", files of this process may have ",
                          megabytes(static_cast<std::int64_t>(limit.rlim_cur))),
                     Hint{"ulimit -f unlimited"});
}

}  // namespace civitas::profiling
