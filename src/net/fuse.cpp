#include "civitas/net/fuse.hpp"

namespace civitas::net {

NetDescription fuse(const NetDescription& net) {
    NetDescription fused{net.name, net.input, {}};
    for (const auto& layer : net.layers) {
        const auto* activation = std::get_if<LeakyRelu>(&layer.kind);
        auto* before =
            fused.layers.empty() ? nullptr : std::get_if<BatchNorm>(&fused.layers.back().kind);
        if (activation != nullptr && before != nullptr)
            fused.layers.back().kind = BatchNormActivation{*before, *activation};
        else
            fused.layers.push_back(layer);
    }
    return fused;
}

}  // namespace civitas::net
