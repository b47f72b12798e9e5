#include "checkpoint_size.hpp"

#include "step_costs.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"

#include <sys/resource.h>

namespace civitas::train {

std::int64_t checkpoint_bytes(const Problem& problem, const Hyperparameters& hyperparameters) {
    const auto& gan = problem.gan();
    std::int64_t values = 0;
    for (const auto which : {parallel::Net::generator, parallel::Net::discriminator})
        values +=
            (has_mean(hyperparameters, which) ? 4 : 3) * nn::parameter_count(net_of(gan, which));
    return values * value_bytes(problem.precision).master;
}

void require_checkpoint_fits(const Problem& problem, const Hyperparameters& hyperparameters) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
    const std::int64_t needed = checkpoint_bytes(problem, hyperparameters);
    if (static_cast<rlim_t>(needed) <= limit.rlim_cur) return;
    throw UsageError(text("a checkpoint of this run takes ", megabytes(needed),
                          ", files of this process may have ",
                          megabytes(static_cast<std::int64_t>(limit.rlim_cur))),
                     Hint{"ulimit -f unlimited"});
}

}  // namespace civitas::train
