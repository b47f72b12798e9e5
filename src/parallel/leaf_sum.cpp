#include "civitas/base/error.hpp"
#include "civitas/base/tree.hpp"
#include "civitas/parallel/reduction.hpp"

namespace civitas::parallel {

LeafSum::LeafSum(const net::ArenaLayout& layout, const std::vector<Range>& groups,
                 schedule::LeafCounts counts, at::ScalarType type, at::Device device)
    : layout_(layout), counts_(counts) {
    ensure(counts.per_pass > 0 && counts.passes > 0, "a sum has leaves");
    for (const Range slots : groups)
        groups_.push_back({.slots = slots, .elements = layout.elements(slots)});
    const int levels = tree_depth(counts.per_pass) + counts.passes - 1;
    for (int level = 0; level < levels; ++level) levels_.emplace_back(layout, type, device);
    for (int pass = 0; pass < counts.passes; ++pass)
        sums_.push_back(levels_[static_cast<std::size_t>(pass)].flat());
}

std::span<const at::Tensor> LeafSum::leaf(std::size_t group) const {
    const Group& g = groups_.at(group);
    return std::span(levels_.at(g.live).views())
        .subspan(static_cast<std::size_t>(g.slots.begin), static_cast<std::size_t>(g.slots.count));
}

void LeafSum::push(std::size_t group) {
    Group& g = groups_.at(group);
    ensure(g.arrived < counts_.per_pass * counts_.passes, "no more leaves than announced");
    if (watching_ && !first_bad_) look_at(g);
    const std::int64_t in_pass = g.arrived % counts_.per_pass;
    const auto finished = static_cast<std::size_t>(g.arrived / counts_.per_pass);
    ++g.arrived;
    ++g.live;
    for (int merges = tree_merges(in_pass); merges > 0; --merges) merge(g);
    if (in_pass + 1 < counts_.per_pass) return;
    while (g.live > finished + 1) merge(g);
}

void LeafSum::look_at(const Group& group) {
    for (std::int64_t i = group.slots.begin; i < group.slots.end(); ++i) {
        const auto slot = static_cast<std::size_t>(i);
        if (all_finite(levels_[group.live].view(slot))) continue;
        first_bad_ = {.pass = static_cast<int>(group.arrived / counts_.per_pass),
                      .micro = LocalMicroBatch{group.arrived % counts_.per_pass},
                      .parameter = layout_.slots()[slot].parameter.name};
        return;
    }
}

void LeafSum::merge(Group& group) const {
    --group.live;
    const auto [begin, count] = group.elements;
    if (count == 0) return;
    levels_[group.live - 1]
        .flat()
        .narrow(0, begin, count)
        .add_(levels_[group.live].flat().narrow(0, begin, count));
}

std::span<const at::Tensor> LeafSum::sums() const {
    for (const Group& g : groups_)
        ensure(g.arrived == counts_.per_pass * counts_.passes, "all leaves have come");
    return sums_;
}

void LeafSum::restart() {
    for (Group& g : groups_) g.arrived = 0, g.live = 0;
}

std::int64_t LeafSum::bytes() const {
    std::int64_t bytes = 0;
    for (const Arena& level : levels_) bytes += static_cast<std::int64_t>(level.flat().nbytes());
    return bytes;
}

}  // namespace civitas::parallel
