#pragma once
/// Layers that one kernel computes together, as a rewrite of descriptions.
#include "civitas/net/description.hpp"

namespace civitas::net {

/// The net with every batch norm that a kernel of our own computes and the leaky ReLU right behind
/// it as one BatchNormActivation, which has the name and the part of the batch norm: names of
/// parameters, and so arenas and checkpoints, stay as they are.
[[nodiscard]] NetDescription fuse(const NetDescription& net);

}  // namespace civitas::net
