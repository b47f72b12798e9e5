#pragma once
/// What costs depend on of a layer.
#include "civitas/nn/description.hpp"

namespace civitas::parallel {

inline bool convolves(const nn::LayerDescription& layer) {
    return std::holds_alternative<nn::Convolution>(layer.kind) ||
           std::holds_alternative<nn::TransposedConvolution>(layer.kind);
}
inline bool activates(const nn::LayerDescription& layer) {
    return std::holds_alternative<nn::LeakyRelu>(layer.kind) ||
           std::holds_alternative<nn::Tanh>(layer.kind);
}
inline const nn::BatchNorm* batch_norm_of(const nn::LayerDescription& layer) {
    return std::get_if<nn::BatchNorm>(&layer.kind);
}
inline const nn::Exchange* exchange_of(const nn::LayerDescription& layer) {
    return std::get_if<nn::Exchange>(&layer.kind);
}

}  // namespace civitas::parallel
