#include "adam_updater.hpp"

#include <algorithm>

namespace civitas::optim {
namespace {

class ReplicatedUpdater final : public AdamUpdater {
public:
    ReplicatedUpdater(const Parameters& parameters, const std::vector<Range>& slots_of_layers,
                      const UpdaterOptions& options)
        : AdamUpdater(parameters, slots_of_layers, options, net::all_of(parameters.layout)) {}

    void reduce() override {
        const auto sums = leaves_.sums();
        if (data_ == nullptr)
            for (std::size_t pass = 1; pass < sums.size(); ++pass) sums.front().add_(sums[pass]);
        else
            all_reduce(*data_, sums, net::aligned_slices(sums.front().numel(), data_->size()),
                       reduction_);
    }
    void step() override {
        const Arena* copy = parameters_.compute_copy;
        adam_.step(parameters_.masters.flat(), gradient(),
                   copy == nullptr ? at::Tensor() : copy->flat());
    }

    [[nodiscard]] bool is_finite() const override {
        if (data_ == nullptr) return all_finite(gradient());
        const auto slices = net::aligned_slices(parameters_.layout.size(), data_->size());
        return all_finite(comm::part(gradient(), data_->own(slices)));
    }
    [[nodiscard]] std::optional<std::string> first_non_finite() const override {
        return optim::first_non_finite(gradient(), parameters_.layout);
    }
    [[nodiscard]] bool is_sharded() const override { return false; }
    [[nodiscard]] std::optional<Arena> whole_mean() const override {
        if (adam_.mean() == nullptr) return std::nullopt;
        return Arena(parameters_.layout, adam_.mean()->flat());
    }
};

}  // namespace

std::unique_ptr<Updater> replicated_updater(const Parameters& parameters,
                                            const std::vector<Range>& slots_of_layers,
                                            const UpdaterOptions& options) {
    return std::make_unique<ReplicatedUpdater>(parameters, slots_of_layers, options);
}

bool uses_node_memory(const UpdaterOptions& options) {
    return options.node_memory && !shards_weights(options.shard) && options.data != nullptr &&
           options.data->nodes() != nullptr;
}

ShardLevel effective_level(const UpdaterOptions& options) {
    if (uses_node_memory(options)) return std::max(options.shard, ShardLevel::optimizer);
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
