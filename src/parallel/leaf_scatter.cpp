#include "leaf_scatter.hpp"

#include "arena_memory.hpp"

#include "civitas/net/arena_slices.hpp"

#include <algorithm>

namespace civitas::parallel {

LeafScatter::LeafScatter(const net::ArenaLayout& layout, const std::vector<Range>& layers,
                         const Scatter& scatter, at::ScalarType type, at::Device device)
    : ranks_(scatter.ranks) {
    room_ = zeros_apart(net::largest_layer(layout, layers), at::TensorOptions(device).dtype(type));
    for (const Range slots : layers) {
        const Range elements = layout.elements(slots);
        Layer& layer = layers_.emplace_back();
        layer.elements = elements.count;
        layer.slices = net::places_within(scatter.slices, elements);
        for (std::int64_t i = slots.begin; i < slots.end(); ++i) {
            const auto& [parameter, offset] = layout.slots()[static_cast<std::size_t>(i)];
            const std::int64_t begin = offset - elements.begin, end = begin + parameter.elements();
            layer.views.push_back(view_at(room_, begin, parameter.shape));
            const std::int64_t next = layout.elements({i, 1}).end() - elements.begin;
            if (end < next) layer.padding.push_back(room_.narrow(0, end, next - end));
        }
    }
}

at::Tensor LeafScatter::sum(std::size_t layer) const {
    const Layer& l = layers_.at(layer);
    for (const at::Tensor& between : l.padding) between.zero_();
    const at::Tensor leaf = room_.narrow(0, 0, l.elements);
    if (l.elements > 0) reduce_scatter(ranks_, std::span(&leaf, 1), l.slices, Reduction::tree);
    return comm::part(leaf, ranks_.own(l.slices));
}

}  // namespace civitas::parallel
