#include "adam_updater.hpp"

#include "civitas/base/error.hpp"

namespace civitas::optim {
namespace {

class ShardedUpdater final : public AdamUpdater {
public:
    ShardedUpdater(const Parameters& parameters, const std::vector<Range>& slots_of_layers,
                   const UpdaterOptions& options)
        : AdamUpdater(parameters, slots_of_layers, options, true),
          level_(effective_level(options)),
          node_memory_(shares_weights(options)) {
        const bool split = level_ == ShardLevel::parameters;
        ensure(parameters.masters.flat().numel() ==
                   (split ? summed_.count() : parameters.layout.size()),
               "the masters are what the shard level leaves here");
    }

    void reduce() override { add_up(); }
    void step() override {
        const at::Tensor masters = parameters_.masters.flat();
        const at::Tensor copy =
            parameters_.compute_copy == nullptr ? at::Tensor() : parameters_.compute_copy->flat();
        const bool own_copy = node_memory_ && copy.defined();
        adam_.step(parameters_.masters, gradient(), own_copy ? copy : at::Tensor());
        if (level_ == ShardLevel::parameters) return;
        gather_part(masters, {0, masters.numel()}, division_, *data_);
        if (own_copy)
            gather_part(copy, {0, copy.numel()}, division_, *data_);
        else if (copy.defined())
            copy.copy_(masters);
    }

    [[nodiscard]] std::optional<std::string> first_non_finite() const override {
        return optim::first_non_finite(gradient(), parameters_.layout, summed_);
    }
    [[nodiscard]] bool is_sharded() const override { return true; }
    [[nodiscard]] std::optional<Arena> whole_mean() const override {
        if (adam_.mean() == nullptr) return std::nullopt;
        return whole_of({*adam_.mean(), division_, *data_, device()}, parameters_.layout);
    }

private:
    ShardLevel level_;
    bool node_memory_;  ///< whether a node has the weights once
};

}  // namespace

std::unique_ptr<Updater> sharded_updater(const Parameters& parameters,
                                         const std::vector<Range>& slots_of_layers,
                                         const UpdaterOptions& options) {
    return std::make_unique<ShardedUpdater>(parameters, slots_of_layers, options);
}

}  // namespace civitas::optim
