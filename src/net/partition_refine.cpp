#include "civitas/net/partition.hpp"

#include <span>
#include <utility>

namespace civitas::net {
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

/// The next of all choices of a move for each net, the last net's changing fastest; false after the
/// last.
bool next_choice(std::vector<std::size_t>& choice,
                 const std::vector<std::vector<std::vector<Range>>>& moves) {
    for (std::size_t n = choice.size(); n-- > 0;) {
        if (++choice[n] < moves[n].size()) return true;
        choice[n] = 0;
    }
    return false;
}

/// Not for less than rounding: the first of equals is the simplest.
bool better(const PartitionCost& a, const PartitionCost& b) {
    if (a.excess_bytes != b.excess_bytes) return a.excess_bytes < b.excess_bytes;
    return a.seconds < b.seconds * (1 - 1e-9);
}

}  // namespace

PricedStages local_search(StagesOfNets stages, const std::vector<NetBlocks>& nets,
                          const std::function<PartitionCost(const StagesOfNets&)>& price,
                          int evaluations) {
    PartitionCost best = price(stages);
    for (bool found = true; found;) {
        found = false;
        StagesOfNets next = stages;
        std::vector<std::vector<std::vector<Range>>> moves;
        for (std::size_t n = 0; n < nets.size(); ++n)
            moves.push_back(moves_of(stages[n], nets[n].blocks));
        // The first choice moves nothing.
        for (std::vector<std::size_t> choice(nets.size()); next_choice(choice, moves);) {
            if (--evaluations <= 0) return {std::move(next), best};
            StagesOfNets moved;
            for (std::size_t n = 0; n < nets.size(); ++n) moved.push_back(moves[n][choice[n]]);
            const PartitionCost asked = price(moved);
            if (!better(asked, best)) continue;
            best = asked;
            next = moved;
            found = true;
        }
        stages = std::move(next);
    }
    return {std::move(stages), best};
}

}  // namespace civitas::net
