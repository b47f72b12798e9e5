#pragma once
/// A net in PyTorch's words.
#include "civitas/net/description.hpp"

#include <string>

namespace civitas::inference {

/// The layers of a whole net in order, as JSON: a list of [name, class of torch.nn, its arguments],
/// such as ["deconv0","ConvTranspose2d",{"in_channels":100, ...}]. An nn.Sequential of them by
/// these names has our names in its state dict.
[[nodiscard]] std::string pytorch_layers(const net::NetDescription& net);

}  // namespace civitas::inference
