#include "bounds.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/require_range.hpp"
#include "civitas/base/text.hpp"
#include "civitas/planner/bounds.hpp"
#include "civitas/runs/facts.hpp"

namespace civitas::app {

void check_values(const planner::Configuration& c) {
    planner::check_learning(c.hyperparameters);
    require_range("keep", std::int64_t{c.run_options.keep}, 1, 1'000'000);
    constexpr std::int64_t most = 1'000'000'000'000'000;
    require_range("steps", c.run_options.steps, 0, most);
    require_range("epochs", c.run_options.epochs, 0, 1e9);
    require_range("checkpoint-every", c.run_options.checkpoint_every, 0, most);
    require_range("checkpoint-minutes", c.run_options.checkpoint_minutes, 0, 1e15);
    require_range("keep-every", c.run_options.keep_every, 0, most);
    require_range("sample-every", c.run_options.sample_every, 0, most);
    require_range("max-minutes", c.run_options.max_minutes, 0, 1e15);
    require_range("population", c.run_options.population, 1, 1'000'000);
    runs::check_allowed(c.run_options.allow_change);
    if (c.run_options.steps != 0 && c.run_options.epochs != 0)
        throw UsageError("--steps and --epochs are both given", Hint{"give one of them"});
}

void check_kernels(const planner::Configuration& c) {
    const std::string devices = c.layout_options.devices();
    if (c.problem.kernels().choice.is_fast() && has_kind(devices, DeviceKind::cuda) &&
        has_kind(devices, DeviceKind::cpu))
        throw UsageError(text("--kernels ", c.problem.kernels().words(),
                              " is for devices of one kind, these are ", devices),
                         Hint{"--kernels aten"});
}

int checked(const char* option, std::int64_t value, int least, int most) {
    require_range(option, value, std::int64_t{least}, std::int64_t{most});
    return static_cast<int>(value);
}

}  // namespace civitas::app
