#pragma once
/// Sums of leaves in tree order, first over this rank's micro-batches, then over ranks.
#include "civitas/base/micro_batch.hpp"
#include "civitas/base/reduction_order.hpp"
#include "civitas/comm/collectives.hpp"
#include "civitas/parallel/arena.hpp"
#include "civitas/schedule/leaf_counts.hpp"

#include <ATen/core/Tensor.h>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace civitas::parallel {

/// A leaf that holds a NaN or an Inf.
struct BadLeaf {
    int pass = 0;
    LocalMicroBatch micro{};
    std::string parameter;
};

/// Merges leaves as a binary counter does, layer by layer, as they arrive: pass after pass, in
/// ascending micro-batch order. While a pass runs, at most tree_depth(per_pass) partial sums of it
/// live, and one of each pass before it.
class LeafSum {
public:
    /// `groups`: the slots of each layer, in order (see slots_of_layers); they may be empty.
    LeafSum(const net::ArenaLayout& layout, const std::vector<Range>& groups,
            schedule::LeafCounts counts, at::ScalarType type, at::Device device);

    [[nodiscard]] std::size_t groups() const noexcept { return groups_.size(); }
    /// Where W of this layer writes its next leaf: one tensor per parameter.
    [[nodiscard]] std::span<const at::Tensor> leaf(std::size_t group) const;
    /// The leaf has been written: merge.
    void push(std::size_t group);

    /// Each pass's sum over this rank's micro-batches, flat. Passes stay apart because D's gradient
    /// is tree(real) + tree(fake) over *all* ranks' micro-batches: see all_reduce.
    /// Precondition: all leaves have come. The tensors are valid until the next leaf is written.
    [[nodiscard]] std::span<const at::Tensor> sums() const;
    /// Begin the next step: forget all leaves, finished or not.
    void restart();

    /// From now on look into every leaf that comes: to find out where a sum went bad, not for use
    /// in every step.
    void watch() noexcept { watching_ = true; }
    /// The first bad leaf since watch(), in the order they came.
    [[nodiscard]] const std::optional<BadLeaf>& first_bad() const noexcept { return first_bad_; }

    /// Bytes of all partial sums (exact, for the memory plan).
    [[nodiscard]] std::int64_t bytes() const;

private:
    struct Group {
        Range slots;
        Range elements;
        std::int64_t arrived = 0;
        std::size_t live = 0;  ///< partial sums, in levels 0 to live - 1
    };
    void look_at(const Group& group);
    void merge(Group& group) const;

    net::ArenaLayout layout_;
    std::vector<Group> groups_;
    schedule::LeafCounts counts_;
    std::vector<Arena> levels_;
    std::vector<at::Tensor> sums_;  ///< the flat tensors of the first levels, one per pass
    bool watching_ = false;
    std::optional<BadLeaf> first_bad_;
};

/// What a step needs of every rank's `passes` (fp32 or fp64, one flat tensor per pass, equal sizes,
/// see LeafSum::sums): the sum over ranks of each pass, added up over passes, left in passes[0] of
/// every rank. `tree`: direct exchange of slices, each added in tree order by its owner, then
/// gathered; the other passes keep unspecified values. `fast`: MPI's own order. `slices` covers
/// the tensors, one range per rank: ArenaLayout::slices. Collective.
void all_reduce(const comm::TensorCollectives& ranks, std::span<const at::Tensor> passes,
                const std::vector<Range>& slices, Reduction reduction);

}  // namespace civitas::parallel
