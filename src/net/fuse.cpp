#include "civitas/net/fuse.hpp"

namespace civitas::net {

NetDescription fuse(const NetDescription& net) {
    NetDescription fused{net.name, net.input, {}};
    for (const auto& layer : net.layers) {
        const auto* activation = std::get_if<LeakyRelu>(&layer.kind);
        auto* before = fused.layers.empty() ? nullptr : &fused.layers.back();
        const auto* norm = before == nullptr ? nullptr : std::get_if<BatchNorm>(&before->kind);
        if (activation != nullptr && norm != nullptr &&
            before->kernels.forward == Kernel::batch_norm)
            before->kind = BatchNormActivation{*norm, *activation};
        else
            fused.layers.push_back(layer);
    }
    return fused;
}

}  // namespace civitas::net
