#include "leaf_scatter.hpp"

#include "arena_memory.hpp"

#include <algorithm>

namespace civitas::optim {

LeafScatter::LeafScatter(const net::ArenaLayout& layout, const std::vector<Range>& layers,
                         const Scatter& scatter, at::ScalarType type, at::Device device)
    : ranks_(scatter.ranks), sums_(ranks_) {
    const std::int64_t largest = net::largest_layer(layout, layers);
    if (scatter.node_memory)
        rooms_ = ranks_.exchange_buffer(2 * largest, type).split(largest);
    else
        rooms_.push_back(zeros_apart(largest, at::TensorOptions(device).dtype(type)));
    for (const Range slots : layers) {
        const Range elements = layout.elements(slots);
        Layer& layer = layers_.emplace_back();
        layer.elements = elements.count;
        for (const net::ArenaBlock& block : scatter.division.blocks())
            if (net::within({block.elements}, elements).front().count > 0)
                layer.slices = net::places_within(block.slices, elements);
        layer.views.resize(rooms_.size());
        for (std::int64_t i = slots.begin; i < slots.end(); ++i) {
            const auto& [parameter, offset] = layout.slots()[static_cast<std::size_t>(i)];
            const std::int64_t begin = offset - elements.begin, end = begin + parameter.elements();
            for (std::size_t room = 0; room < rooms_.size(); ++room)
                layer.views[room].push_back(view_at(rooms_[room], begin, parameter.shape));
            const std::int64_t next = layout.elements({i, 1}).end() - elements.begin;
            if (end < next) layer.padding.push_back({end, next - end});
        }
    }
}

at::Tensor LeafScatter::sum(std::size_t layer) {
    const Layer& l = layers_.at(layer);
    at::Tensor leaf = rooms_.at(turn_).narrow(0, 0, l.elements);
    if (l.elements == 0) return leaf;  // nobody waits for anybody
    turn_ = (turn_ + 1) % rooms_.size();
    for (const Range between : l.padding) comm::part(leaf, between).zero_();
    sums_.begin(leaf, l.slices);
    sums_.finish();
    return comm::part(leaf, ranks_.own(l.slices));
}

}  // namespace civitas::optim
