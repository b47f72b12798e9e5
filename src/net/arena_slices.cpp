#include "civitas/net/arena_slices.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/places.hpp"

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

/// Runs of layers, from the last one on closed as soon as they are large enough: sums are wanted in
/// the order of a backward pass.
std::vector<ArenaBlock> blocks_of(const ArenaLayout& layout, const std::vector<Range>& layers) {
    std::vector<ArenaBlock> blocks;
    for (auto layer = std::ssize(layers); layer-- > 0;) {
        const Range elements = layout.elements(layers[static_cast<std::size_t>(layer)]);
        if (elements.count == 0) continue;
        if (blocks.empty() || blocks.back().elements.count >= least_block)
            blocks.push_back({{layer + 1, 0}, {elements.end(), 0}, {}});
        ArenaBlock& block = blocks.back();
        block.layers = {layer, block.layers.end() - layer};
        block.elements = {elements.begin, block.elements.end() - elements.begin};
    }
    std::reverse(blocks.begin(), blocks.end());
    return blocks;
}

/// In what order blocks are divided so that the parts of the later ones make up for what the rows
/// of those before take or give.
std::vector<ArenaBlock*> coarsest_first(const ArenaLayout& layout,
                                        std::vector<ArenaBlock>& blocks) {
    const auto unit_of = [&](const ArenaBlock* block) {
        std::int64_t unit = 0;
        for (const auto& [parameter, offset] : layout.slots())
            if (within({{offset, 1}}, block->elements).front().count > 0) {
                const std::int64_t row = std::max<std::int64_t>(row_elements(parameter), 1);
                unit = std::max(unit, std::min(aligned_rows(row) * row, parameter.elements()));
            }
        return unit;
    };
    std::vector<ArenaBlock*> order;
    for (ArenaBlock& block : blocks) order.push_back(&block);
    std::stable_sort(order.begin(), order.end(), [&](const ArenaBlock* a, const ArenaBlock* b) {
        return unit_of(a) > unit_of(b);
    });
    return order;
}

}  // namespace

ArenaRuns::ArenaRuns(std::vector<Range> runs) : runs_(std::move(runs)) {
    for (const Range& run : runs_) count_ += run.count;
}

Range ArenaRuns::places_of(Range elements) const {
    Range places{0, 0};
    for (const Range& run : runs_) {
        places.begin += std::clamp<std::int64_t>(elements.begin - run.begin, 0, run.count);
        places.count += within({run}, elements).front().count;
    }
    return places;
}

ArenaRuns all_of(const ArenaLayout& layout) {
    return ArenaRuns(std::vector<Range>{{0, layout.size()}});
}

ArenaDivision::ArenaDivision(const ArenaLayout& layout, const std::vector<Range>& layers, int ranks)
    : blocks_(blocks_of(layout, layers)), ranks_(ranks) {
    std::vector<std::int64_t> owned(static_cast<std::size_t>(ranks), 0);  // by ranks up to this one
    std::int64_t divided = 0;
    for (ArenaBlock* const block : coarsest_first(layout, blocks_)) {
        const Range all = block->elements;
        divided += all.count;
        std::int64_t begin = all.begin;
        for (int rank = 0; rank < ranks; ++rank) {
            std::int64_t& before = owned[static_cast<std::size_t>(rank)];
            const std::int64_t even = all.begin + block_range(divided, rank, ranks).end() - before;
            const std::int64_t end =
                rank + 1 == ranks
                    ? all.end()
                    : std::max(begin, nearest_begin(layout, std::clamp(even, begin, all.end())));
            before += end - all.begin;
            block->slices.push_back({begin, end - begin});
            begin = end;
        }
    }
}

ArenaDivision::ArenaDivision(const NetDescription& net, int ranks)
    : ArenaDivision(ArenaLayout(parameters_of(net)), slots_of_layers(net), ranks) {}

ArenaRuns ArenaDivision::owned_by(int rank) const {
    std::vector<Range> runs;
    for (const ArenaBlock& block : blocks_) {
        const Range& run = block.slices.at(static_cast<std::size_t>(rank));
        if (run.count == 0) continue;
        if (ranks_ == 1 && !runs.empty() && runs.back().end() == run.begin)
            runs.back().count += run.count;
        else
            runs.push_back(run);
    }
    return ArenaRuns(std::move(runs));
}

std::int64_t ArenaDivision::most() const {
    std::int64_t most = 0;
    for (int rank = 0; rank < ranks_; ++rank) most = std::max(most, owned_by(rank).count());
    return most;
}

std::vector<ArenaBlock> summed_blocks(const NetDescription& net, int ranks, bool every_leaf) {
    if (!every_leaf) return ArenaDivision(net, ranks).blocks();
    const ArenaLayout layout(parameters_of(net));
    std::vector<ArenaBlock> layers;
    std::int64_t number = 0;
    for (const Range slots : slots_of_layers(net)) {
        if (slots.count > 0) layers.push_back({{number, 1}, layout.elements(slots), {}});
        ++number;
    }
    return layers;
}

std::int64_t leaf_room(const ArenaLayout& layout, const std::vector<Range>& layers, int in_use) {
    std::vector<std::int64_t> leaves;
    for (std::size_t layer = layers.size(); layer-- > 0;)
        if (layers[layer].count > 0) leaves.push_back(layout.elements(layers[layer]).count);
    const auto at_once = static_cast<std::size_t>(in_use);
    std::vector<PlaceUse> uses;
    const std::size_t twice_round = 2 * leaves.size() + at_once;
    for (std::size_t i = 0; i < (leaves.empty() ? 0 : twice_round); ++i) {
        uses.push_back({i, leaves[i % leaves.size()]});
        if (i >= at_once) uses.push_back({i - at_once, 0, false});
    }
    return room_of(uses);
}

std::vector<SlotRows> rows_in(const ArenaLayout& layout, const ArenaRuns& kept) {
    std::vector<SlotRows> all;
    std::int64_t place = 0;
    for (const Range& run : kept.runs()) {
        for (std::size_t i = 0; i < layout.slots().size(); ++i) {
            const auto& [parameter, offset] = layout.slots()[i];
            const Range some = within({run}, {offset, parameter.elements()}).front();
            if (some.count == 0) continue;
            const std::int64_t row = row_elements(parameter);
            ensure((some.begin - offset) % row == 0 && some.count % row == 0,
                   "owned elements are whole rows");
            all.push_back({i,
                           {(some.begin - offset) / row, some.count / row},
                           some.count,
                           place + some.begin - run.begin});
        }
        place += run.count;
    }
    return all;
}

ComputeRoom compute_room(const ArenaLayout& layout, Range slots, NumberBytes numbers) {
    ComputeRoom room;
    for (std::int64_t slot = slots.begin; slot < slots.end(); ++slot) {
        const bool in_products =
            layout.slots().at(static_cast<std::size_t>(slot)).parameter.in_products;
        const std::int64_t number = in_products ? numbers.in_products : numbers.of_others;
        room.bytes.push_back({room.size, layout.elements({slot, 1}).count * number});
        room.size = room.bytes.back().end();
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
