#pragma once
/// How the nets of a run are cut into stages.
#include "step_costs.hpp"

namespace civitas::train {

/// Fills in the stages of a setting whose schedule is known: the user's own, or those with which
/// the simulated step is shortest, of those the search meets that begins with equal shares. Throws
/// UsageError for more stages than layers, for numbers that do not fit, and when the weights and
/// the activations of one micro-batch are more than a rank's memory however the nets are cut.
void cut_nets(Setting& setting, const Configuration& configuration, const Resources& resources,
              const LayerSeconds& seconds);

}  // namespace civitas::train
