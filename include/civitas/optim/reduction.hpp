#pragma once
/// Sums of leaves in tree order, first over this rank's micro-batches, then over ranks.
#include "civitas/base/error.hpp"
#include "civitas/base/micro_batch.hpp"
#include "civitas/base/reduction_order.hpp"
#include "civitas/comm/collectives.hpp"
#include "civitas/optim/arena.hpp"
#include "civitas/schedule/leaf_counts.hpp"

#include <ATen/core/Tensor.h>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace civitas::optim {

/// A leaf that holds a NaN or an Inf.
struct BadLeaf {
    int pass = 0;
    LocalMicroBatch micro{};
    std::string parameter;
};

/// Takes the leaves of a net as W makes them. Layers are counted over all stages of this rank.
class GradientAccumulator {
public:
    GradientAccumulator() = default;
    GradientAccumulator(const GradientAccumulator&) = delete;
    GradientAccumulator& operator=(const GradientAccumulator&) = delete;
    virtual ~GradientAccumulator() = default;

    [[nodiscard]] virtual std::size_t layers() const noexcept = 0;
    /// Where W of this layer writes its next leaf, per parameter, until another's is asked for.
    [[nodiscard]] virtual std::span<const at::Tensor> leaf(std::size_t layer) = 0;
    /// Adds up the leaf of this layer that has been written.
    virtual void push(std::size_t layer) = 0;
    /// Moves sums over ranks that are under way, without waiting for them.
    virtual void progress() {}
    /// Forgets all leaves, finished or not: the next step begins.
    virtual void restart() = 0;
    /// All leaves of a step have come without push(): what it launches has been replayed, and sums
    /// lie where those of a step before lay. Precondition: ranks sum when all have come.
    virtual void recall() { ensure(false, "these leaves come by push()"); }
};

/// By whom leaves are added up over ranks as soon as they are made.
struct Scatter {
    const comm::TensorCollectives& ranks;
    const net::ArenaDivision& division;  ///< among the ranks
    bool node_memory = false;            ///< whether ranks of a node read each other's leaves
    bool behind = true;                  ///< whether a leaf is summed while the next is written
};

class LeafScatter;

/// Merges leaves as a binary counter does, layer by layer, as they arrive: pass after pass, in
/// ascending micro-batch order. While a pass runs, at most tree_depth(per_pass) partial sums of it
/// live, and one of each pass before it.
class LeafSum final : public GradientAccumulator {
public:
    /// A counter for the leaves of a net. `layers`: the slots of each, in order (see
    /// slots_of_layers); they may be empty. With `scatter` a leaf is first summed over ranks, and
    /// of that sum this rank keeps the elements that it owns: push() is collective then. Without,
    /// partial sums lie in a buffer of `exchanges`, if there are any: then this is collective.
    LeafSum(const net::ArenaLayout& layout, const std::vector<Range>& layers,
            schedule::LeafCounts counts, at::ScalarType type, at::Device device,
            const std::optional<Scatter>& scatter = std::nullopt,
            const comm::TensorCollectives* exchanges = nullptr);
    LeafSum(const LeafSum&) = delete;
    LeafSum& operator=(const LeafSum&) = delete;
    ~LeafSum() override;

    [[nodiscard]] std::size_t layers() const noexcept override { return layers_.size(); }
    [[nodiscard]] std::span<const at::Tensor> leaf(std::size_t layer) override;
    void push(std::size_t layer) override;
    void progress() override;
    void restart() override;
    void recall() override;
    /// Waits for what has been pushed: with a scatter the last leaves are summed over ranks while
    /// the next one is written. Collective.
    void finish();

    /// Each pass's sum over this rank's micro-batches, flat: of the whole arena, or of the elements
    /// that this rank owns. Passes stay apart because a net's gradient adds the trees of its
    /// passes, each over *all* ranks. Precondition: all leaves have come, and are finished. The
    /// tensors are views that are valid until the next leaf is written.
    [[nodiscard]] std::vector<at::Tensor> sums() const;
    /// That of one pass, of which the elements of layers are there whose leaves of it have come.
    [[nodiscard]] const at::Tensor& sum_of(int pass) const;
    /// The pass of which the last leaf of a layer was the last one; none when more will come.
    [[nodiscard]] std::optional<int> finished_pass(std::size_t layer) const;

    /// Looks into every leaf that comes from now on, to find out where a sum went bad.
    void watch() noexcept { watching_ = true; }
    /// The first bad leaf since watch(), in the order they came.
    [[nodiscard]] const std::optional<BadLeaf>& first_bad() const noexcept { return first_bad_; }

    /// Bytes of all partial sums and of the leaf that is summed over ranks: exactly, for the plan.
    [[nodiscard]] std::int64_t bytes() const;

private:
    struct Layer {
        Range slots;
        Range elements;  ///< that are kept, within a level
        std::int64_t arrived = 0;
        std::size_t live = 0;  ///< partial sums, in levels 0 to live - 1
    };
    void look_at(std::size_t layer);
    /// Waits for the oldest leaf that is being summed over ranks, and adds it.
    void finish_one();
    /// Adds a leaf, which lies in the first level that is free.
    void add(std::size_t layer);
    void merge(Layer& layer) const;
    [[nodiscard]] at::Tensor partial_sum(const Layer& layer, std::size_t level) const;

    net::ArenaLayout layout_;
    net::ArenaRuns kept_;  ///< elements of the arena, of which there are partial sums
    std::vector<Layer> layers_;
    schedule::LeafCounts counts_;
    std::unique_ptr<LeafScatter> scatter_;
    std::vector<at::Tensor> levels_;  ///< flat, of kept_
    std::vector<Arena> leaves_;       ///< views of the levels; none with a scatter
    std::deque<std::size_t> begun_;   ///< layers whose leaves are being summed over ranks
    bool watching_ = false;
    std::optional<BadLeaf> first_bad_;
};

/// Adds up every rank's `passes` (fp32 or fp64, one flat tensor per pass, equal sizes, see
/// LeafSum::sums) in MPI's own order, and leaves the sum in passes[0] of every rank. Collective.
void all_reduce_in_any_order(const comm::TensorCollectives& ranks,
                             std::span<const at::Tensor> passes);

}  // namespace civitas::optim
