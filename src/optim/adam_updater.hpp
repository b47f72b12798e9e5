#pragma once
/// What updaters by Adam have in common, whatever of it is divided among ranks.
#include "civitas/optim/updater.hpp"

namespace civitas::optim {

class AdamUpdater : public Updater {
public:
    [[nodiscard]] std::size_t layers() const noexcept override { return leaves_.layers(); }
    [[nodiscard]] std::span<const at::Tensor> leaf(std::size_t layer) const override {
        return leaves_.leaf(layer);
    }
    void push(std::size_t layer) override { leaves_.push(layer); }
    void restart() override { leaves_.restart(); }
    [[nodiscard]] bool reduce_is_revocable() const override {
        return data_ == nullptr || (reduction_ == Reduction::tree && data_->is_revocable());
    }
    void watch() override { leaves_.watch(); }
    [[nodiscard]] const std::optional<BadLeaf>& first_bad_leaf() const noexcept override {
        return leaves_.first_bad();
    }
    [[nodiscard]] OptimizerState state() const override {
        return {adam_.first_moment(), adam_.second_moment(), adam_.mean()};
    }
    void start_mean() override { adam_.start_mean(parameters_.masters.flat()); }
    void resume_after(std::int64_t steps) override { adam_.set_steps(steps); }
    [[nodiscard]] std::int64_t bytes() const override {
        return leaves_.bytes() + adam_.bytes() - offloaded_bytes();
    }
    [[nodiscard]] std::int64_t offloaded_bytes() const override {
        return adam_.first_moment().file() == nullptr ? 0 : adam_.bytes();
    }

protected:
    /// `owned`: the elements that this rank updates; `scatter`: see LeafSum.
    AdamUpdater(const Parameters& parameters, const std::vector<Range>& slots_of_layers,
                const UpdaterOptions& options, const net::ArenaRuns& owned,
                const std::optional<Scatter>& scatter = std::nullopt)
        : parameters_(parameters),
          data_(options.data),
          reduction_(options.reduction),
          leaves_(parameters.layout, slots_of_layers, options.leaves, type(), device(), scatter,
                  uses_node_memory(options) ? options.data : nullptr),
          adam_(parameters.layout, owned, options.adam, type(), device(),
                options.ema > 0 ? std::optional(options.ema) : std::nullopt, options.file) {
        adam_.start_mean(parameters.masters.flat());
    }

    [[nodiscard]] at::ScalarType type() const { return parameters_.masters.flat().scalar_type(); }
    [[nodiscard]] at::Device device() const { return parameters_.masters.flat().device(); }
    /// Flat, as LeafSum keeps it; what is in it after reduce() the updater says.
    [[nodiscard]] at::Tensor gradient() const { return leaves_.sums().front(); }

    Parameters parameters_;
    const comm::TensorCollectives* data_;
    Reduction reduction_;
    LeafSum leaves_;
    Adam adam_;
};

/// All ranks of the data axis hold the whole gradient and all of the optimizer's state, and make
/// the same update.
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
