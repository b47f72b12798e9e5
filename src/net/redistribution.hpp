#pragma once
/// What a cut convolution needs around it.
#include "civitas/net/tensor_split.hpp"

#include <optional>

namespace civitas::net {

struct Redistributions {
    std::optional<Redistribute> before, after;
};
[[nodiscard]] Redistributions redistributions_of(const LayerSplit& cut, int parts);

/// Values of F and B together, for an activation of `elements` in all its channels.
[[nodiscard]] std::int64_t values_exchanged(const Redistribute& exchange, std::int64_t elements);

}  // namespace civitas::net
