#pragma once
/// How long layers take on this machine.
#include "plan.hpp"

namespace civitas::train {

/// F, B and W of every layer of both nets for one micro-batch: the best of a few rounds.
[[nodiscard]] LayerSeconds measured_seconds(const Task& task);

}  // namespace civitas::train
