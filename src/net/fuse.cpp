#include "civitas/net/fuse.hpp"

namespace civitas::net {
namespace {

std::vector<LayerDescription> fused(const std::vector<LayerDescription>& layers) {
    std::vector<LayerDescription> all;
    for (const auto& layer : layers) {
        const auto* activation = std::get_if<LeakyRelu>(&layer.kind);
        auto* before = all.empty() ? nullptr : &all.back();
        const auto* norm = before == nullptr ? nullptr : std::get_if<BatchNorm>(&before->kind);
        if (activation != nullptr && norm != nullptr &&
            before->kernels.forward == Kernel::batch_norm) {
            before->kind = BatchNormActivation{*norm, *activation};
            continue;
        }
        all.push_back(layer);
        if (auto* block = std::get_if<Residual>(&all.back().kind)) {
            block->body = fused(block->body);
            block->shortcut = fused(block->shortcut);
        }
    }
    return all;
}

}  // namespace

NetDescription fuse(const NetDescription& net) { return {net.name, net.input, fused(net.layers)}; }

}  // namespace civitas::net
