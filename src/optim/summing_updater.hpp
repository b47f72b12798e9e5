#pragma once
/// What updaters that sum leaves have in common, whatever of it is divided among ranks.
#include "block_sums.hpp"
#include "sum_and_update.hpp"

#include "civitas/base/tree.hpp"
#include "civitas/optim/updater.hpp"

namespace civitas::optim {

class SummingUpdater : public Updater {
public:
    [[nodiscard]] std::size_t layers() const noexcept override { return leaves_.layers(); }
    [[nodiscard]] std::span<const at::Tensor> leaf(std::size_t layer) override {
        return leaves_.leaf(layer);
    }
    void push(std::size_t layer) override {
        leaves_.push(layer);
        if (!block_sums_) return;
        if (const auto pass = leaves_.finished_pass(layer))
            block_sums_->finish_pass(layer, *pass, leaves_.sum_of(*pass));
    }
    void progress() override {
        leaves_.progress();
        if (block_sums_) block_sums_->progress();
    }
    void restart() override {
        leaves_.restart();
        if (block_sums_) block_sums_->restart();
    }
    void recall() override { leaves_.recall(); }
    [[nodiscard]] GradientAccumulator& leaves_of(int replica) override {
        if (replica == 0) return *this;
        return sum_of(replica);
    }
    [[nodiscard]] bool reduce_is_revocable() const override {
        return data_ == nullptr || (reduction_ == Reduction::tree && data_->is_revocable());
    }
    void watch() override {
        for (int replica = 0; replica < replicas(); ++replica) sum_of(replica).watch();
        if (block_sums_) block_sums_->wait_for_all_leaves();
    }
    [[nodiscard]] bool is_updating() const override { return one_pass_ && one_pass_->is_open(); }
    void take_back() override {
        if (one_pass_) one_pass_->take_back(parameters_.masters, updated_copy());
    }
    [[nodiscard]] bool is_finite() const override {
        if (one_pass_) return one_pass_->is_finite();
        return all_finite(runs_in(gradient(), summed_), finite_);
    }
    [[nodiscard]] at::Tensor condition() const override {
        return optimizer_.has_condition() ? finite_ : at::Tensor();
    }
    [[nodiscard]] std::optional<std::string> first_non_finite() const override {
        if (one_pass_) return one_pass_->first_non_finite();
        return optim::first_non_finite(gradient(), parameters_.layout, reduced());
    }
    [[nodiscard]] std::optional<BadLeaf> first_bad_leaf() const override {
        std::optional<BadLeaf> first;
        for (int replica = 0; replica < replicas(); ++replica) {
            std::optional<BadLeaf> bad = sum_of(replica).first_bad();
            if (!bad || (first && first->pass <= bad->pass)) continue;
            bad->micro = parts_.of_rank(replica, bad->micro);
            first = bad;
        }
        return first;
    }
    [[nodiscard]] OptimizerState state() const override {
        return {optimizer_.moments(), optimizer_.mean()};
    }
    void start_mean() override { optimizer_.start_mean(parameters_.masters.flat()); }
    [[nodiscard]] std::int64_t updates() const override { return optimizer_.steps(); }
    void resume_after(std::int64_t steps) override { optimizer_.set_steps(steps); }
    [[nodiscard]] std::int64_t bytes() const override {
        std::int64_t bytes = optimizer_.bytes() - offloaded_bytes();
        for (int replica = 0; replica < replicas(); ++replica) bytes += sum_of(replica).bytes();
        return bytes;
    }
    [[nodiscard]] std::int64_t offloaded_bytes() const override {
        return optimizer_.offloaded_bytes();
    }

protected:
    /// `sharded`: whether this rank updates what it owns alone.
    SummingUpdater(const Parameters& parameters, const std::vector<Range>& slots_of_layers,
                   const UpdaterOptions& options, bool sharded)
        : parameters_(parameters),
          data_(options.data),
          reduction_(options.reduction),
          division_(parameters.layout, slots_of_layers, data_ == nullptr ? 1 : data_->size()),
          summed_(division_.owned_by(data_ == nullptr ? 0 : index(data_->rank()))),
          scattered_(sharded && shards_gradients(options.shard)),
          weights_of_node_(shares_weights(options)),
          leaves_(parameters.layout, slots_of_layers, options.leaves, type(), device(),
                  scattered_ ? std::optional(
                                   Scatter{*data_, division_, shares_sums(options), options.behind})
                             : std::nullopt,
                  shares_sums(options) ? data_ : nullptr),
          parts_(options.replicas * options.leaves.per_pass, options.replicas),
          optimizer_(parameters.layout, sharded ? summed_ : net::all_of(parameters.layout),
                     options.optimizer, type(), device(),
                     options.ema > 0 ? std::optional(options.ema) : std::nullopt,
                     options.offload_to) {
        ensure(options.replicas == 1 || !scattered_, "replicas sum whole leaves");
        const auto& places = options.replica_devices;
        for (std::size_t replica = 1; replica < static_cast<std::size_t>(options.replicas);
             ++replica)
            others_.push_back(
                std::make_unique<LeafSum>(parameters.layout, slots_of_layers, options.leaves,
                                          type(), places.empty() ? device() : places.at(replica)));
        if (data_ != nullptr && !scattered_ && reduction_ == Reduction::tree)
            block_sums_.emplace(*data_, division_, slots_of_layers, options.leaves.passes,
                                options.behind && options.replicas == 1);
        optimizer_.start_mean(parameters.masters.flat());
        if (options.one_pass && optimizer_.updates_blocks() && sees_all_terms(options))
            one_pass_.emplace(parameters.layout, optimizer_.elements());
    }

    /// Adds up leaves over passes, replicas and ranks, where they have not been: of what this rank
    /// owns. In one pass it makes the update by the sum as well, which is kept nowhere.
    void add_up() {
        leaves_.finish();
        if (one_pass_) return sum_and_update();
        const auto sums = sums_of_rank();
        if (block_sums_)
            block_sums_->reduce(sums);
        else if (data_ != nullptr && !scattered_)
            all_reduce_in_any_order(*data_, sums);
        else
            for (std::size_t pass = 1; pass < sums.size(); ++pass) sums.front().add_(sums[pass]);
        finite_ = finite_on_gpu(runs_in(gradient(), summed_));
    }
    /// Makes the update by what has been added up, unless that has been made.
    void update() {
        if (one_pass_) return one_pass_->close();
        optimizer_.step(parameters_.masters, gradient(), updated_copy(), condition());
    }
    /// The compute copy, where it is updated with the weights; undefined where it is not.
    [[nodiscard]] virtual at::Tensor updated_copy() const = 0;
    /// The elements whose gradient is there after reduce().
    [[nodiscard]] virtual net::ArenaRuns reduced() const = 0;
    [[nodiscard]] at::ScalarType type() const { return parameters_.masters.flat().scalar_type(); }
    [[nodiscard]] at::Device device() const { return parameters_.device; }
    /// Flat, as LeafSum keeps it; what is in it after reduce() the updater says.
    [[nodiscard]] at::Tensor gradient() const { return leaves_.sums().front(); }

private:
    [[nodiscard]] int replicas() const { return static_cast<int>(others_.size()) + 1; }
    [[nodiscard]] const LeafSum& sum_of(int replica) const {
        return replica == 0 ? leaves_ : *others_.at(static_cast<std::size_t>(replica) - 1);
    }
    [[nodiscard]] LeafSum& sum_of(int replica) {
        return replica == 0 ? leaves_ : *others_.at(static_cast<std::size_t>(replica) - 1);
    }
    /// Each pass's sum over the replicas, in tree order, where that of the first was.
    [[nodiscard]] std::vector<at::Tensor> sums_of_rank() const {
        return tree_sum(
            0, replicas(),
            [&](std::int64_t replica) { return sum_of(static_cast<int>(replica)).sums(); },
            [](std::vector<at::Tensor> left, const std::vector<at::Tensor>& right) {
                for (std::size_t pass = 0; pass < left.size(); ++pass)
                    left[pass].add_(right[pass].to(left[pass].device()));
                return left;
            });
    }
    [[nodiscard]] std::vector<std::vector<at::Tensor>> sums_of_replicas() const {
        std::vector<std::vector<at::Tensor>> all;
        for (int replica = 0; replica < replicas(); ++replica)
            all.push_back(sum_of(replica).sums());
        return all;
    }
    /// Whether all terms of what this rank updates can be read where they lie, and whole weights be
    /// written as soon as these have come.
    [[nodiscard]] bool sees_all_terms(const UpdaterOptions& options) const {
        if (data_ == nullptr || data_->size() == 1)
            return options.leaves.passes * options.replicas > 1;
        if (effective_level(options) == ShardLevel::parameters) return false;
        if (scattered_) return options.leaves.passes > 1;
        return block_sums_ && shares_weights(options) && data_->nodes()->nodes() == 1;
    }
    void sum_and_update() {
        const net::ArenaRuns& own = optimizer_.elements();
        const bool exchanged = data_ != nullptr && data_->size() > 1 && !scattered_;
        // Whose leaves have been summed already may be ahead of ranks that compute with the
        // weights.
        if (scattered_ && weights_of_node_) data_->wait_for_node(data_->arrive_on_node());
        one_pass_->run(optimizer_, parameters_.masters, updated_copy(),
                       exchanged ? terms_on_node(*data_, division_, sums_of_rank())
                                 : terms_of_one_rank(own, sums_of_replicas()),
                       runs_in(leaves_.sums().front(), own));
    }

protected:
    Parameters parameters_;
    const comm::TensorCollectives* data_;
    Reduction reduction_;
    net::ArenaDivision division_;  ///< among the ranks of the data axis
    net::ArenaRuns summed_;        ///< elements whose sums over them this rank makes
    bool scattered_;               ///< whether leaves are summed over ranks when they come
    bool weights_of_node_;         ///< whether a node has the weights once
    LeafSum leaves_;               ///< of the first replica
    std::vector<std::unique_ptr<LeafSum>> others_;  ///< of the other replicas
    ReplicaParts parts_;
    std::optional<BlockSums> block_sums_;  ///< where they are not, and in tree order
    Optimizer optimizer_;

private:
    std::optional<SumAndUpdate> one_pass_;  ///< where sum and update are
    at::Tensor finite_;                     ///< on a GPU, if what has been added up is
};

/// All ranks of the data axis hold the whole gradient and state, and make the same update.
[[nodiscard]] std::unique_ptr<Updater> replicated_updater(const Parameters& parameters,
                                                          const std::vector<Range>& slots_of_layers,
                                                          const UpdaterOptions& options);
/// Each rank of the data axis owns a slice of the optimizer's state, sums and updates it alone, and
/// hands the weights on to the others (ZeRO-1, arXiv:1910.02054); with gradients sharded it sums
/// its slice of every leaf at once, and keeps no other (ZeRO-2); with parameters sharded it keeps
/// no other weights, and hands none on (ZeRO-3).
[[nodiscard]] std::unique_ptr<Updater> sharded_updater(const Parameters& parameters,
                                                       const std::vector<Range>& slots_of_layers,
                                                       const UpdaterOptions& options);

}  // namespace civitas::optim
