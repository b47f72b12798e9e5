#pragma once
/// What makes of the leaves of one net its next weights: their sum over micro-batches, passes and
/// the ranks of the data axis, and the optimizer.
#include "civitas/base/shard_level.hpp"
#include "civitas/optim/optimizer.hpp"
#include "civitas/optim/reduction.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace civitas::optim {

/// The parameters that are updated. What is referred to must outlive the updater.
struct Parameters {
    const net::ArenaLayout& layout;
    /// fp32 or fp64: the whole arena, or with ShardLevel::parameters this rank's own slice of it.
    const ArenaShard& masters;
    const Arena* compute_copy = nullptr;  ///< bf16, for the convolutions: follows whole masters
    at::Device device = at::kCPU;         ///< that computes, wherever offloaded masters lie
};

/// Moments, and the mean of the weights, of the elements that this rank owns.
struct OptimizerState {
    const std::vector<Moment>& moments;
    const ArenaShard* mean = nullptr;  ///< null where none is kept
};

/// What an updater holds for other ranks, bytes, beside what its state() tells of.
struct HeldForOthers {
    std::int64_t moments = 0;
    std::int64_t mean = 0;
    std::int64_t messages = 0;  ///< that may come at any time; they are not among bytes()
};

/// As an accumulator it takes the leaves of this rank's first replica.
class Updater : public GradientAccumulator {
public:
    /// Takes the leaves of one of this rank's replicas, in a thread of its own.
    [[nodiscard]] virtual GradientAccumulator& leaves_of(int replica) = 0;
    /// Adds up all leaves, which have come, over passes, replicas and the data axis; where that and
    /// the update are one pass over memory, it changes the weights as well: see take_back().
    /// Collective over the data axis. Precondition: no rank of the node makes leaves, or reads the
    /// weights before step().
    virtual void reduce() = 0;
    /// Whether reduce() has begun to change the weights, and step() has not ended.
    [[nodiscard]] virtual bool is_updating() const = 0;
    /// After reduce(): the weights are again what they were before. What they are updated by is
    /// not, so nothing can be learnt any more.
    virtual void take_back() = 0;
    /// Whether a rank that waits for another in reduce() throws comm::Revoked when one has failed.
    [[nodiscard]] virtual bool reduce_is_revocable() const = 0;
    /// Updates the weights, of all ranks alike, and what follows them, as far as reduce() has not.
    /// Precondition: the leaves have been reduced, and since then no rank of the node reads the
    /// weights or makes leaves. Collective over the data axis, and revocable as reduce() in tree
    /// order is.
    virtual void step() = 0;
    /// How many updates the weights have had: with shared weights those of all ranks.
    [[nodiscard]] virtual std::int64_t updates() const = 0;

    /// On a GPU, where step() changes nothing unless this is finite: a double that is not finite if
    /// reduce() gave anything that is not. Whoever has other reasons may add to it; nobody has
    /// waited for it. Undefined where step() has no condition.
    [[nodiscard]] virtual at::Tensor condition() const { return {}; }
    /// Whether what this rank itself has added up in reduce() is finite.
    [[nodiscard]] virtual bool is_finite() const = 0;
    /// The first parameter whose reduced gradient, as far as this rank holds it, is not finite.
    [[nodiscard]] virtual std::optional<std::string> first_non_finite() const = 0;
    /// Looks into every leaf that comes from now on, to find out where a sum went bad.
    virtual void watch() = 0;
    /// The first bad leaf since watch(): by pass, then by micro-batch.
    [[nodiscard]] virtual std::optional<BadLeaf> first_bad_leaf() const = 0;

    [[nodiscard]] virtual OptimizerState state() const = 0;
    /// Whether other ranks of the data axis own other elements of the state.
    [[nodiscard]] virtual bool is_sharded() const = 0;
    /// The mean of the weights, whole, valid until the next step; nothing where none is kept.
    /// Collective over the data axis.
    [[nodiscard]] virtual std::optional<Arena> whole_mean() const = 0;
    /// The mean begins as a copy of the weights, which have been loaded.
    virtual void start_mean() = 0;
    /// Goes on after step number `steps`, whose weights and optimizer state have been loaded.
    virtual void resume_after(std::int64_t steps) = 0;
    /// Bytes of partial sums, and of the optimizer's state unless it is offloaded.
    [[nodiscard]] virtual std::int64_t bytes() const = 0;
    /// Bytes of the optimizer's state that are offloaded.
    [[nodiscard]] virtual std::int64_t offloaded_bytes() const = 0;
    [[nodiscard]] virtual HeldForOthers held_for_others() const { return {}; }
};

struct UpdaterOptions {
    OptimizerOptions optimizer = {};
    double ema = 0;               ///< limit of mean_decay(); 0: no mean of the weights is kept
    schedule::LeafCounts leaves;  ///< of each replica
    int replicas = 1;             ///< in this rank, each of which makes leaves
    std::vector<at::Device> replica_devices = {};  ///< where each does; empty: all on one
    Reduction reduction = Reduction::tree;
    ShardLevel shard = ShardLevel::none;
    memory::OffloadMemory* offload_to =
        nullptr;  ///< the optimizer's state; null: where it is computed
    /// Whether ranks of the data axis that share memory, if some do, read each other's sums, and
    /// have weights that are not divided once.
    bool node_memory = false;
    /// Whether sums between nodes, in tree order, are begun as soon as W has made what they add.
    bool behind = true;
    /// Whether sum and update are one pass over memory, where they can be and terms are added up.
    bool one_pass = true;
    /// Ranks that hold the same layers and other micro-batches; null: none do.
    const comm::TensorCollectives* data = nullptr;
};

/// Whether ranks of a node read each other's sums of leaves, on all ranks alike.
[[nodiscard]] bool shares_sums(const UpdaterOptions& options);
/// Whether a node has the weights once, on all ranks alike.
[[nodiscard]] bool shares_weights(const UpdaterOptions& options);
/// What is divided over the data axis: of what a node has once each rank updates a part.
[[nodiscard]] ShardLevel effective_level(const UpdaterOptions& options);

/// Makes the updater of a shard level. `slots_of_layers`: see net::slots_of_layers. The mean begins
/// with the weights.
[[nodiscard]] std::unique_ptr<Updater> make_updater(const Parameters& parameters,
                                                    const std::vector<Range>& slots_of_layers,
                                                    const UpdaterOptions& options);

}  // namespace civitas::optim
