#pragma once
/// What a cut convolution needs around it.
#include "civitas/net/tensor.hpp"

#include <optional>

namespace civitas::net {

struct Exchanges {
    std::optional<Exchange> before, after;
};
[[nodiscard]] Exchanges exchanges_of(const LayerCut& cut, int parts);

/// Values of F and B together, for an activation of `elements` in all its channels.
[[nodiscard]] std::int64_t values_exchanged(const Exchange& exchange, std::int64_t elements);

}  // namespace civitas::net
