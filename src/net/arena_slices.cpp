#include "civitas/net/arena_slices.hpp"

#include "civitas/base/error.hpp"
#include "civitas/net/layer_kinds.hpp"

#include <algorithm>
#include <numeric>

namespace civitas::net {
namespace {

std::int64_t rows_of(const ParameterSpec& parameter) { return parameter.shape.at(0); }

std::int64_t row_elements(const ParameterSpec& parameter) {
    return parameter.elements() / std::max<std::int64_t>(rows_of(parameter), 1);
}

/// Fewest rows whose elements are a multiple of the alignment.
std::int64_t aligned_rows(std::int64_t row) {
    return arena_alignment / std::gcd(arena_alignment, row);
}

/// The place in the arena where an owned part may begin that is nearest to `element`.
std::int64_t nearest_begin(const ArenaLayout& layout, std::int64_t element) {
    const auto& slots = layout.slots();
    const auto after =
        std::upper_bound(slots.begin(), slots.end(), element,
                         [](std::int64_t value, const Slot& slot) { return value < slot.offset; });
    if (after == slots.begin()) return 0;
    const Slot& slot = *std::prev(after);
    const std::int64_t row = row_elements(slot.parameter);
    if (row == 0) return slot.offset;
    const std::int64_t unit = aligned_rows(row) * row;
    const std::int64_t begin = slot.offset + (element - slot.offset + unit / 2) / unit * unit;
    if (begin < slot.offset + slot.parameter.elements()) return begin;
    return after == slots.end() ? layout.size() : after->offset;
}

}  // namespace

std::vector<Range> owned_slices(const ArenaLayout& layout, int parts) {
    std::vector<Range> all;
    for (int part = 0; part < parts; ++part) {
        const std::int64_t begin = all.empty() ? 0 : all.back().end();
        const std::int64_t even = block_range(layout.size(), part, parts).end();
        const std::int64_t end = part + 1 == parts ? layout.size() : nearest_begin(layout, even);
        all.push_back({begin, end - begin});
    }
    return all;
}

std::int64_t largest_owned_slice(const ArenaLayout& layout, int parts) {
    std::int64_t most = 0;
    for (const Range& slice : owned_slices(layout, parts)) most = std::max(most, slice.count);
    return most;
}

std::int64_t largest_layer(const ArenaLayout& layout, const std::vector<Range>& layers) {
    std::int64_t most = 0;
    for (const Range slots : layers) most = std::max(most, layout.elements(slots).count);
    return most;
}

std::vector<SlotRows> rows_in(const ArenaLayout& layout, Range elements) {
    std::vector<SlotRows> all;
    for (std::size_t i = 0; i < layout.slots().size(); ++i) {
        const auto& [parameter, offset] = layout.slots()[i];
        const std::int64_t begin = std::max(elements.begin, offset);
        const std::int64_t end = std::min(elements.end(), offset + parameter.elements());
        if (begin >= end) continue;
        const std::int64_t row = row_elements(parameter);
        ensure((begin - offset) % row == 0 && (end - offset) % row == 0,
               "owned elements are whole rows");
        all.push_back({i, {(begin - offset) / row, (end - begin) / row}, end - begin, begin});
    }
    return all;
}

ComputeRoom compute_room(const NetDescription& net, const ArenaLayout& layout, Range slots,
                         NumberBytes numbers) {
    ComputeRoom room;
    std::int64_t slot = 0;
    for (const LayerDescription& layer : net.layers) {
        const std::int64_t number = convolves(layer) ? numbers.of_convolutions : numbers.of_others;
        for (std::size_t i = parameters_of(layer).size(); i-- > 0; ++slot) {
            if (slot < slots.begin || slot >= slots.end()) continue;
            room.bytes.push_back({room.size, layout.elements({slot, 1}).count * number});
            room.size = room.bytes.back().end();
        }
    }
    return room;
}

std::vector<Range> within(const std::vector<Range>& slices, Range part) {
    std::vector<Range> all;
    for (const Range& slice : slices) {
        const std::int64_t begin = std::clamp(slice.begin, part.begin, part.end());
        const std::int64_t end = std::clamp(slice.end(), part.begin, part.end());
        all.push_back({begin, end - begin});
    }
    return all;
}

std::vector<Range> places_within(const std::vector<Range>& slices, Range part) {
    std::vector<Range> all = within(slices, part);
    for (Range& slice : all) slice.begin -= part.begin;
    return all;
}

}  // namespace civitas::net
