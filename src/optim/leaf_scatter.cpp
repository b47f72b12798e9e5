#include "leaf_scatter.hpp"

#include "arena_view.hpp"

#include "civitas/base/error.hpp"
#include "civitas/memory/zeros_apart.hpp"

namespace civitas::optim {
namespace {

/// Padding is added up as numbers are, and leaves of other layers have left some there.
void zero_padding(const at::Tensor& flat, const net::ArenaLayout& layout, Range slots) {
    const std::int64_t first = layout.elements(slots).begin;
    for (std::int64_t i = slots.begin; i < slots.end(); ++i) {
        const auto& [parameter, offset] = layout.slots()[static_cast<std::size_t>(i)];
        const std::int64_t end = offset + parameter.elements();
        const std::int64_t next = layout.elements({i, 1}).end();
        if (end < next) comm::part(flat, {end - first, next - end}).zero_();
    }
}

}  // namespace

LeafScatter::LeafScatter(const net::ArenaLayout& layout, const std::vector<Range>& layers,
                         const Scatter& scatter, at::ScalarType type, at::Device device)
    : layout_(layout),
      ranks_(scatter.ranks),
      node_memory_(scatter.node_memory),
      behind_(scatter.behind && (!node_memory_ || ranks_.nodes()->nodes() > 1)),
      places_(net::leaf_room(layout, layers, net::leaves_in_use(behind_, node_memory_))) {
    const std::int64_t room = places_.room();
    room_ = node_memory_ ? ranks_.exchange_buffer(room, type)
                         : memory::zeros_apart(room, at::TensorOptions(device).dtype(type));
    for (const Range slots : layers) {
        Layer layer{slots, layout.elements(slots), {}};
        for (const net::ArenaBlock& block : scatter.division.blocks())
            if (net::within({block.elements}, layer.elements).front().count > 0)
                layer.slices = net::places_within(block.slices, layer.elements);
        layers_.push_back(std::move(layer));
    }
}

bool LeafScatter::has_room(std::size_t layer) const {
    return (written_ && written_->layer == layer) ||
           places_.find(layers_.at(layer).elements.count).has_value();
}

std::span<const at::Tensor> LeafScatter::leaf(std::size_t layer) {
    if (written_ && written_->layer == layer) return written_->views;
    if (!has_room(layer)) {
        ensure(sums_.empty(), "what is on its way stays where it is");
        if (node_memory_) ranks_.wait_for_node(ranks_.arrive_on_node());
        clear_places();
    }
    written_ = leaf_at(layer, places_.find(layers_.at(layer).elements.count).value());
    return written_->views;
}

LeafScatter::Leaf LeafScatter::leaf_at(std::size_t layer, Range place) const {
    Leaf leaf{layer, place, {}};
    const auto& [slots, elements, slices] = layers_.at(layer);
    const at::Tensor all = comm::part(room_, place);
    for (std::int64_t i = slots.begin; i < slots.end(); ++i) {
        const auto& [parameter, offset] = layout_.slots()[static_cast<std::size_t>(i)];
        leaf.views.push_back(view_at(all, offset - elements.begin, parameter.shape));
    }
    return leaf;
}

void LeafScatter::begin(std::size_t layer) {
    const auto& [slots, elements, slices] = layers_.at(layer);
    ensure(written_ && written_->layer == layer, "the leaf has been written");
    const Range place = std::exchange(written_, std::nullopt)->place;
    places_.take(place);
    in_use_.push_back(place);
    const auto most = static_cast<std::size_t>(net::leaves_in_use(behind_, node_memory_));
    for (; in_use_.size() > most; in_use_.pop_front()) places_.release(in_use_.front());
    const at::Tensor flat = comm::part(room_, place);
    zero_padding(flat, layout_, slots);
    sums_.push_back({std::make_unique<RankSums>(ranks_), comm::part(flat, ranks_.own(slices))});
    sums_.back().sum->begin(flat, slices);
}

void LeafScatter::progress() {
    for (const Sum& sum : sums_) sum.sum->progress();
}

at::Tensor LeafScatter::finish() {
    sums_.front().sum->finish();
    at::Tensor own = sums_.front().own;
    sums_.pop_front();
    return own;
}

void LeafScatter::clear_places() {
    places_.clear();
    in_use_.clear();
}

void LeafScatter::restart() {
    clear_places();
    written_.reset();
    sums_.clear();
}

}  // namespace civitas::optim
