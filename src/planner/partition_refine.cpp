#include "civitas/planner/partition.hpp"

#include <span>

namespace civitas::planner {
namespace {

/// Stages of one net as the numbers of blocks that begin them, and all the blocks at the end.
using Begins = std::vector<std::size_t>;

Begins begins_of(const std::vector<Range>& stages, std::span<const Block> blocks) {
    Begins begins;
    for (std::size_t i = 0; i < blocks.size(); ++i)
        for (const Range& stage : stages)
            if (stage.begin == blocks[i].layers.begin) begins.push_back(i);
    begins.push_back(blocks.size());
    return begins;
}

std::vector<Range> stages_of(const Begins& begins, std::span<const Block> blocks) {
    std::vector<Range> stages;
    for (std::size_t s = 0; s + 1 < begins.size(); ++s) {
        const std::int64_t first = blocks[begins[s]].layers.begin;
        stages.push_back({first, blocks[begins[s + 1] - 1].layers.end() - first});
    }
    return stages;
}

/// The stages as they are, and all with one block moved across one cut.
std::vector<std::vector<Range>> moves_of(const std::vector<Range>& stages,
                                         std::span<const Block> blocks) {
    std::vector<std::vector<Range>> moves{stages};
    const Begins begins = begins_of(stages, blocks);
    for (std::size_t s = 1; s + 1 < begins.size(); ++s) {
        Begins moved = begins;
        if (begins[s] - 1 > begins[s - 1]) {
            --moved[s];
            moves.push_back(stages_of(moved, blocks));
        }
        moved = begins;
        if (begins[s] + 1 < begins[s + 1]) {
            ++moved[s];
            moves.push_back(stages_of(moved, blocks));
        }
    }
    return moves;
}

/// Not for less than rounding: the first of equals is the simplest.
bool better(const PartitionCost& a, const PartitionCost& b) {
    if (a.excess_bytes != b.excess_bytes) return a.excess_bytes < b.excess_bytes;
    return a.seconds < b.seconds * (1 - 1e-9);
}

}  // namespace

StagesOfNets local_search(StagesOfNets stages, const BlocksOfNets& blocks,
                          const std::function<PartitionCost(const StagesOfNets&)>& price,
                          int evaluations) {
    PartitionCost best = price(stages);
    for (bool found = true; found;) {
        found = false;
        StagesOfNets next = stages;
        for (const auto& generator : moves_of(stages.generator, blocks.generator))
            for (const auto& discriminator : moves_of(stages.discriminator, blocks.discriminator)) {
                const StagesOfNets moved{generator, discriminator};
                if (moved == stages) continue;
                if (--evaluations <= 0) return next;
                const PartitionCost asked = price(moved);
                if (!better(asked, best)) continue;
                best = asked;
                next = moved;
                found = true;
            }
        stages = next;
    }
    return stages;
}

}  // namespace civitas::planner
