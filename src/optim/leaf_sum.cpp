#include "leaf_scatter.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/tree.hpp"
#include "civitas/memory/zeros_apart.hpp"

#include <algorithm>

namespace civitas::optim {

LeafSum::LeafSum(const net::ArenaLayout& layout, const std::vector<Range>& layers,
                 schedule::LeafCounts counts, at::ScalarType type, at::Device device,
                 const std::optional<Scatter>& scatter, const comm::TensorCollectives* exchanges)
    : layout_(layout),
      kept_(scatter ? scatter->division.owned_by(index(scatter->ranks.rank()))
                    : net::all_of(layout)),
      counts_(counts) {
    ensure(counts.per_pass > 0 && counts.passes > 0, "a sum has leaves");
    for (const Range slots : layers)
        layers_.push_back({.slots = slots, .elements = kept_.places_of(layout.elements(slots))});
    if (scatter) scatter_ = std::make_unique<LeafScatter>(layout, layers, *scatter, type, device);
    const int levels = tree_depth(counts.per_pass) + counts.passes - 1;
    const bool read_by_others = exchanges != nullptr && !scatter;
    const at::Tensor all =
        read_by_others ? exchanges->exchange_buffer(levels * kept_.count(), type) : at::Tensor();
    for (int level = 0; level < levels; ++level) {
        levels_.push_back(
            read_by_others
                ? all.narrow(0, level * kept_.count(), kept_.count())
                : memory::zeros_apart(kept_.count(), at::TensorOptions(device).dtype(type)));
        if (!scatter) leaves_.emplace_back(layout, levels_.back());
    }
}

LeafSum::~LeafSum() = default;

std::span<const at::Tensor> LeafSum::leaf(std::size_t layer) {
    if (scatter_) {
        if (!scatter_->has_room(layer)) finish();
        return scatter_->leaf(layer);
    }
    const Layer& l = layers_.at(layer);
    return std::span(leaves_.at(l.live).views())
        .subspan(static_cast<std::size_t>(l.slots.begin), static_cast<std::size_t>(l.slots.count));
}

at::Tensor LeafSum::partial_sum(const Layer& layer, std::size_t level) const {
    return levels_.at(level).narrow(0, layer.elements.begin, layer.elements.count);
}

void LeafSum::push(std::size_t layer) {
    const Layer& l = layers_.at(layer);
    if (l.slots.count == 0) return;
    while (!begun_.empty() && begun_.size() >= scatter_->sums_at_once()) finish_one();
    if (watching_ && !first_bad_) finish();  // leaves are counted then
    ensure(l.arrived + std::ranges::count(begun_, layer) < counts_.per_pass * counts_.passes,
           "no more leaves than announced");
    if (watching_ && !first_bad_) look_at(layer);
    if (!scatter_) return add(layer);
    scatter_->begin(layer);
    begun_.push_back(layer);
    if (scatter_->sums_at_once() == 0) finish();
}

void LeafSum::finish_one() {
    const std::size_t layer = begun_.front();
    const Layer& l = layers_.at(layer);
    partial_sum(l, l.live).copy_(scatter_->finish());
    begun_.pop_front();
    add(layer);
}

void LeafSum::finish() {
    while (!begun_.empty()) finish_one();
}

void LeafSum::progress() {
    if (scatter_) scatter_->progress();
}

/// A binary counter. levels_[0, live) hold a layer's partial sums: one of each finished pass, then
/// those of the running pass, of 2^k leaves each for the bits of the number of leaves that have
/// come, longest first. Leaf i (from 0) is one more sum of one leaf, and as many merges follow as i
/// ends in ones, as when the counter carries. What is left at the end of a pass is merged from the
/// shortest on, which makes the tree of base/tree.hpp.
void LeafSum::add(std::size_t layer) {
    Layer& l = layers_.at(layer);
    const std::int64_t in_pass = l.arrived % counts_.per_pass;
    const auto finished = static_cast<std::size_t>(l.arrived / counts_.per_pass);
    ++l.arrived;
    ++l.live;
    for (int merges = tree_merges(in_pass); merges > 0; --merges) merge(l);
    if (in_pass + 1 < counts_.per_pass) return;
    while (l.live > finished + 1) merge(l);
}

void LeafSum::look_at(std::size_t layer) {
    const Layer& l = layers_.at(layer);
    auto slot = static_cast<std::size_t>(l.slots.begin);
    for (const at::Tensor& part : leaf(layer)) {
        const std::string& parameter = layout_.slots()[slot++].parameter.name;
        if (all_finite(part)) continue;
        first_bad_ = {.pass = static_cast<int>(l.arrived / counts_.per_pass),
                      .micro = LocalMicroBatch{l.arrived % counts_.per_pass},
                      .parameter = parameter};
        return;
    }
}

/// Adds the newest partial sum to the one before it: older leaves are the left operand.
void LeafSum::merge(Layer& layer) const {
    --layer.live;
    if (layer.elements.count > 0)
        partial_sum(layer, layer.live - 1).add_(partial_sum(layer, layer.live));
}

std::vector<at::Tensor> LeafSum::sums() const {
    for (const Layer& layer : layers_)
        ensure(layer.slots.count == 0 || layer.arrived == counts_.per_pass * counts_.passes,
               "all leaves have come");
    return {levels_.begin(), levels_.begin() + counts_.passes};
}

const at::Tensor& LeafSum::sum_of(int pass) const {
    return levels_.at(static_cast<std::size_t>(pass));
}

std::optional<int> LeafSum::finished_pass(std::size_t layer) const {
    const std::int64_t arrived = layers_.at(layer).arrived;
    if (arrived == 0 || arrived % counts_.per_pass != 0) return std::nullopt;
    return static_cast<int>(arrived / counts_.per_pass - 1);
}

void LeafSum::restart() {
    for (Layer& layer : layers_) layer.arrived = 0, layer.live = 0;
    begun_.clear();
    if (scatter_) scatter_->restart();
}

void LeafSum::recall() {
    ensure(!scatter_, "leaves are summed over ranks when all have come");
    const auto passes = static_cast<std::size_t>(counts_.passes);
    for (Layer& layer : layers_)
        layer.arrived = counts_.per_pass * counts_.passes, layer.live = passes;
}

std::int64_t LeafSum::bytes() const {
    std::int64_t bytes = scatter_ ? scatter_->bytes() : 0;
    for (const at::Tensor& level : levels_) bytes += static_cast<std::int64_t>(level.nbytes());
    return bytes;
}

}  // namespace civitas::optim
