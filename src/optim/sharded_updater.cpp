#include "summing_updater.hpp"

#include "civitas/base/error.hpp"

namespace civitas::optim {
namespace {

class ShardedUpdater final : public SummingUpdater {
public:
    ShardedUpdater(const Parameters& parameters, const std::vector<Range>& slots_of_layers,
                   const UpdaterOptions& options)
        : SummingUpdater(parameters, slots_of_layers, options, true),
          level_(effective_level(options)) {
        const bool split = level_ == ShardLevel::parameters;
        ensure(parameters.masters.flat().numel() ==
                   (split ? summed_.count() : parameters.layout.size()),
               "the masters are what the shard level leaves here");
    }

    void reduce() override { add_up(); }
    void step() override {
        update();
        if (level_ == ShardLevel::parameters) return;
        const at::Tensor masters = parameters_.masters.flat();
        gather_part(masters, {0, masters.numel()}, division_, *data_);
        if (parameters_.compute_copy == nullptr) return;
        if (const at::Tensor copy = updated_copy(); copy.defined())
            gather_part(copy, {0, copy.numel()}, division_, *data_);
        else
            parameters_.compute_copy->flat().copy_(masters);
    }

    [[nodiscard]] bool is_sharded() const override { return true; }
    [[nodiscard]] std::optional<Arena> whole_mean() const override {
        if (optimizer_.mean() == nullptr) return std::nullopt;
        return whole_of({*optimizer_.mean(), division_, *data_, device()}, parameters_.layout);
    }

private:
    [[nodiscard]] at::Tensor updated_copy() const override {
        const bool own = weights_of_node_ && parameters_.compute_copy != nullptr;
        return own ? parameters_.compute_copy->flat() : at::Tensor();
    }
    [[nodiscard]] net::ArenaRuns reduced() const override { return summed_; }

    ShardLevel level_;
};

}  // namespace

std::unique_ptr<Updater> sharded_updater(const Parameters& parameters,
                                         const std::vector<Range>& slots_of_layers,
                                         const UpdaterOptions& options) {
    return std::make_unique<ShardedUpdater>(parameters, slots_of_layers, options);
}

}  // namespace civitas::optim
