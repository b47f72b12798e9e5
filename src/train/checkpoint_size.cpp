#include "checkpoint_size.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"

#include <sys/resource.h>

namespace civitas::train {

std::int64_t checkpoint_bytes(const Task& task, const Recipe& recipe) {
    const auto gan = task.gan();
    const std::int64_t of_generator = recipe.ema > 0 ? 4 : 3;
    const std::int64_t of_discriminator = 3;
    const std::int64_t value = parse_precision(task.precision) == Precision::fp64 ? 8 : 4;
    return value * (of_generator * nn::parameter_count(gan.generator) +
                    of_discriminator * nn::parameter_count(gan.discriminator));
}

void require_checkpoint_fits(const Task& task, const Recipe& recipe) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
    const std::int64_t needed = checkpoint_bytes(task, recipe);
    if (static_cast<rlim_t>(needed) <= limit.rlim_cur) return;
    throw UsageError(text("a checkpoint of this run takes ", megabytes(needed),
                          ", files of this process may have ",
                          megabytes(static_cast<std::int64_t>(limit.rlim_cur))),
                     Hint{"ulimit -f unlimited"});
}

}  // namespace civitas::train
