#pragma once
/// Sums of leaves in tree order, first over this rank's micro-batches, then over ranks.
#include "civitas/base/numbers.hpp"
#include "civitas/comm/communicator.hpp"
#include "civitas/parallel/arena.hpp"

#include <ATen/core/Tensor.h>
#include <vector>

namespace civitas::parallel {

/// Merges leaves as a binary counter does, layer by layer (a group of consecutive slots). Leaves
/// arrive in ascending micro-batch order; at most log2(n) + 1 partial sums live.
class LeafSum {
public:
    /// `groups`: slots of each layer, in order. `leaves`: how many each group will get per pass.
    LeafSum(const ArenaLayout& layout, std::vector<Range> groups, std::int64_t leaves,
            at::ScalarType type, at::Device device);

    /// Where W of this layer writes its next leaf.
    [[nodiscard]] std::span<const at::Tensor> leaf(std::size_t group);
    /// The leaf has been written: merge.
    void push(std::size_t group);
    /// After all leaves of a pass: the sum over this rank's micro-batches. With several passes
    /// (D: real, then fake) each pass gives its own tree, and the result is tree(real) +
    /// tree(fake). Resets the counter; the returned arena is valid until the next leaf().
    [[nodiscard]] const at::Tensor& finish_pass();

    /// Bytes of all partial sums (exact, for the memory plan).
    [[nodiscard]] std::int64_t bytes() const;

private:
    struct Group {
        Range slots;
        Range elements;
        std::int64_t arrived = 0;
        int live = 0;
    };
    void merge(Group& group);
    std::vector<Group> groups_;
    std::vector<Arena> levels_;
    std::int64_t leaves_;
};

enum class Reduction { tree, fast };

/// Sum `flat` over ranks, in place and on every rank: direct exchange of slices, each added in tree
/// order over ranks by its owner, then gathered. `fast`: MPI's own order.
void all_reduce(const comm::Communicator& ranks, const at::Tensor& flat,
                const std::vector<Range>& slices, Reduction reduction);

}  // namespace civitas::parallel
