#include "summing_updater.hpp"

#include <algorithm>

namespace civitas::optim {
namespace {

class ReplicatedUpdater final : public SummingUpdater {
public:
    ReplicatedUpdater(const Parameters& parameters, const std::vector<Range>& slots_of_layers,
                      const UpdaterOptions& options)
        : SummingUpdater(parameters, slots_of_layers, options, false) {}

    void reduce() override {
        add_up();
        if (block_sums_ && data_->size() > 1)
            gather_part(gradient(), {0, gradient().numel()}, division_, *data_);
    }
    void step() override { update(); }

    [[nodiscard]] bool is_sharded() const override { return false; }
    [[nodiscard]] std::optional<Arena> whole_mean() const override {
        if (optimizer_.mean() == nullptr) return std::nullopt;
        return Arena(parameters_.layout, optimizer_.mean()->flat().to(device()));
    }

private:
    [[nodiscard]] at::Tensor updated_copy() const override {
        const Arena* const copy = parameters_.compute_copy;
        return copy == nullptr ? at::Tensor() : copy->flat();
    }
    [[nodiscard]] net::ArenaRuns reduced() const override {
        return net::all_of(parameters_.layout);
    }
};

}  // namespace

std::unique_ptr<Updater> replicated_updater(const Parameters& parameters,
                                            const std::vector<Range>& slots_of_layers,
                                            const UpdaterOptions& options) {
    return std::make_unique<ReplicatedUpdater>(parameters, slots_of_layers, options);
}

bool shares_sums(const UpdaterOptions& options) {
    return options.node_memory && options.data != nullptr && options.data->nodes() != nullptr;
}

bool shares_weights(const UpdaterOptions& options) {
    return shares_sums(options) && !shards_weights(options.shard);
}

ShardLevel effective_level(const UpdaterOptions& options) {
    if (shares_weights(options)) return std::max(options.shard, ShardLevel::optimizer);
    return level_among(options.data == nullptr ? 1 : options.data->size(), options.shard);
}

std::unique_ptr<Updater> make_updater(const Parameters& parameters,
                                      const std::vector<Range>& slots_of_layers,
                                      const UpdaterOptions& options) {
    if (effective_level(options) == ShardLevel::none)
        return replicated_updater(parameters, slots_of_layers, options);
    return sharded_updater(parameters, slots_of_layers, options);
}

}  // namespace civitas::optim
