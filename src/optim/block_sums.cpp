#include "block_sums.hpp"

#include "civitas/optim/arena_shard.hpp"

#include <algorithm>
#include <span>

namespace civitas::optim {

BlockSums::BlockSums(const comm::TensorCollectives& ranks, const net::ArenaDivision& division,
                     const std::vector<Range>& layers, int passes, bool behind)
    : sums_(ranks),
      division_(division),
      own_(division.owned_by(index(ranks.rank()))),
      layers_(layers),
      awaited_(static_cast<std::size_t>(passes)),
      behind_(behind && ranks.is_revocable() &&
              (ranks.nodes() == nullptr || ranks.nodes()->nodes() > 1)) {
    restart();
}

void BlockSums::begin(const net::ArenaBlock& block, const at::Tensor& sum) {
    sums_.begin(comm::part(sum, block.elements), net::places_within(block.slices, block.elements));
}

void BlockSums::finish_pass(std::size_t layer, int pass, const at::Tensor& sum) {
    if (!behind_ || layers_.at(layer).count == 0) return;
    const auto number = static_cast<std::int64_t>(layer);
    for (std::size_t i = 0; i < division_.blocks().size(); ++i) {
        const net::ArenaBlock& block = division_.blocks()[i];
        if (number < block.layers.begin || number >= block.layers.end()) continue;
        if (--awaited_.at(static_cast<std::size_t>(pass))[i] == 0) begin(block, sum);
    }
}

void BlockSums::reduce(const std::vector<at::Tensor>& passes) {
    for (std::size_t pass = 0; pass < passes.size(); ++pass)
        for (std::size_t i = 0; i < division_.blocks().size(); ++i)
            if (awaited_[pass][i] > 0) begin(division_.blocks()[i], passes[pass]);
    sums_.finish();
    for (const at::Tensor& pass : std::span(passes).subspan(1))
        for (const Range& run : own_.runs())
            comm::part(passes.front(), run).add_(comm::part(pass, run));
}

void BlockSums::restart() {
    for (auto& of_pass : awaited_) {
        of_pass.clear();
        for (const net::ArenaBlock& block : division_.blocks()) {
            const auto first = layers_.begin() + block.layers.begin;
            of_pass.push_back(std::count_if(first, first + block.layers.count,
                                            [](const Range& slots) { return slots.count > 0; }));
        }
    }
    sums_.clear();
}

}  // namespace civitas::optim
