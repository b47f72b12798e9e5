#pragma once
/// How the nets of a run are cut into stages.
#include "step_costs.hpp"

namespace civitas::train {

/// Fills in the stages of a setting whose schedule is known: the user's own, or those with which
/// the simulated step is shortest, of those the search meets that begins with equal shares. No
/// coordinate gets more weights and saved activations of one micro-batch than a rank has memory,
/// where that can be. Throws UsageError for more stages than layers and for numbers that do not
/// fit. Returns seconds of the step.
double cut_nets(Setting& setting, const Configuration& configuration, const Resources& resources,
                const LayerSeconds& seconds);

}  // namespace civitas::train
