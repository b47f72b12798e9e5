#include "civitas/net/arena_layout.hpp"

namespace civitas::net {
namespace {

constexpr std::int64_t padded(std::int64_t elements) {
    return (elements + arena_alignment - 1) / arena_alignment * arena_alignment;
}

}  // namespace

ArenaLayout::ArenaLayout(const std::vector<ParameterSpec>& parameters) {
    for (const auto& parameter : parameters) {
        slots_.push_back({parameter, size_});
        size_ += padded(parameter.elements());
    }
}

Range ArenaLayout::elements(Range slots) const {
    const auto start = [&](std::int64_t slot) {
        const auto i = static_cast<std::size_t>(slot);
        return i == slots_.size() ? size_ : slots_.at(i).offset;
    };
    return {start(slots.begin), start(slots.end()) - start(slots.begin)};
}

std::vector<Range> aligned_slices(std::int64_t elements, int parts) {
    std::vector<Range> all;
    for (int part = 0; part < parts; ++part) {
        const Range units = block_range(elements / arena_alignment, part, parts);
        all.push_back({units.begin * arena_alignment, units.count * arena_alignment});
    }
    return all;
}

std::vector<Range> slots_of_layers(const NetDescription& net) {
    std::vector<Range> all;
    std::int64_t begin = 0;
    for (const auto& layer : net.layers) {
        all.push_back({begin, static_cast<std::int64_t>(parameters_of(layer).size())});
        begin = all.back().end();
    }
    return all;
}

}  // namespace civitas::net
