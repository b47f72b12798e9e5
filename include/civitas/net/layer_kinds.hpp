#pragma once
/// What costs depend on of a layer.
#include "civitas/net/description.hpp"

namespace civitas::net {

inline bool convolves(const LayerDescription& layer) {
    return std::holds_alternative<Convolution>(layer.kind) ||
           std::holds_alternative<TransposedConvolution>(layer.kind);
}
inline bool activates(const LayerDescription& layer) {
    return std::holds_alternative<LeakyRelu>(layer.kind) ||
           std::holds_alternative<Tanh>(layer.kind);
}
inline const BatchNorm* batch_norm_of(const LayerDescription& layer) {
    return std::get_if<BatchNorm>(&layer.kind);
}
inline const Redistribute* redistribute_of(const LayerDescription& layer) {
    return std::get_if<Redistribute>(&layer.kind);
}

}  // namespace civitas::net
