#pragma once
/// What a cut layer needs around it and inside of it.
#include "civitas/net/tensor_split.hpp"

#include <optional>

namespace civitas::net {

struct Redistributions {
    std::optional<Redistribute> before, after;
};
[[nodiscard]] Redistributions redistributions_of(const LayerSplit& cut, int parts);

/// The cut of a net, or of what is inside a residual block, that exchanges the fewest values;
/// layers whose channels the parts do not divide stay whole.
[[nodiscard]] TensorSplit cheapest_split(const NetDescription& net, int parts);

/// Values of F and B together, for an activation of `elements` in all its channels.
[[nodiscard]] std::int64_t values_exchanged(const Redistribute& exchange, std::int64_t elements);

}  // namespace civitas::net
