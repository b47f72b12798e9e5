#pragma once
/// The gradient of a net, whose blocks are added up over ranks while W makes those of other blocks.
#include "rank_sums.hpp"

#include "civitas/net/arena_slices.hpp"

namespace civitas::optim {

/// Adds up passes over ranks, each in tree order, and then one to the other. In memory of one node
/// there is nothing to hide: there all of it is done in reduce().
class BlockSums {
public:
    /// `division`: among ranks; `layers`: slots of each; `behind`: whether to add before reduce().
    BlockSums(const comm::TensorCollectives& ranks, const net::ArenaDivision& division,
              const std::vector<Range>& layers, int passes, bool behind);

    /// All leaves of a layer in this pass have come; `sum`: of the pass, over micro-batches, of
    /// which the layer's elements are there. Collective.
    void finish_pass(std::size_t layer, int pass, const at::Tensor& sum);
    void progress() { sums_.progress(); }
    /// Leaves the sum of the passes over all ranks in the own runs of the first of them; what lies
    /// beside these has unspecified values. Collective.
    void reduce(const std::vector<at::Tensor>& passes);
    void restart();
    /// From now on all of it is done in reduce().
    void wait_for_all_leaves() noexcept { behind_ = false; }

private:
    void begin(const net::ArenaBlock& block, const at::Tensor& sum);

    RankSums sums_;
    net::ArenaDivision division_;
    net::ArenaRuns own_;
    std::vector<Range> layers_;                       ///< the slots of each
    std::vector<std::vector<std::int64_t>> awaited_;  ///< by pass, layers that a block waits for
    bool behind_;                                     ///< whether what has come is added up at once
};

}  // namespace civitas::optim
