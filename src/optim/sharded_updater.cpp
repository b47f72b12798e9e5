#include "adam_updater.hpp"

#include "civitas/base/error.hpp"

namespace civitas::optim {
namespace {

class ShardedUpdater final : public AdamUpdater {
public:
    ShardedUpdater(const Parameters& parameters, const std::vector<Range>& slots_of_layers,
                   const UpdaterOptions& options)
        : ShardedUpdater(parameters, slots_of_layers, options,
                         net::owned_slices(parameters.layout, options.data->size())) {}

    void reduce(Range layers) override {
        const auto sums = leaves_.sums(layers);
        if (scattered_) {
            for (std::size_t pass = 1; pass < sums.size(); ++pass) sums.front().add_(sums[pass]);
            return;
        }
        reduce_scatter(*data_, sums, net::places_within(slices_, leaves_.elements(layers)),
                       reduction_);
    }
    void step() override {
        const at::Tensor copy =
            parameters_.compute_copy == nullptr ? at::Tensor() : parameters_.compute_copy->flat();
        const bool own_copy = node_memory_ && copy.defined();
        adam_.step(own_masters(), own_gradient(),
                   own_copy ? comm::part(copy, owned()) : at::Tensor());
        if (level_ == ShardLevel::parameters) return;
        data_->all_gather_slices(parameters_.masters.flat(), slices_);
        if (own_copy)
            data_->all_gather_slices(copy, slices_);
        else if (copy.defined())
            copy.copy_(parameters_.masters.flat());
    }

    [[nodiscard]] bool is_finite() const override { return all_finite(own_gradient()); }
    [[nodiscard]] std::optional<std::string> first_non_finite() const override {
        return optim::first_non_finite(own_gradient(), parameters_.layout, owned());
    }
    [[nodiscard]] bool is_sharded() const override { return true; }
    [[nodiscard]] std::optional<Arena> whole_mean() const override {
        if (adam_.mean() == nullptr) return std::nullopt;
        return whole_of(*adam_.mean(), parameters_.layout, *data_);
    }

private:
    ShardedUpdater(const Parameters& parameters, const std::vector<Range>& slots_of_layers,
                   const UpdaterOptions& options, std::vector<Range> slices)
        : AdamUpdater(parameters, slots_of_layers, options, options.data->own(slices),
                      scatter_for(options, slices)),
          slices_(std::move(slices)),
          level_(effective_level(options)),
          scattered_(shards_gradients(options.shard)),
          node_memory_(uses_node_memory(options)) {
        const bool split = level_ == ShardLevel::parameters;
        ensure(
            parameters.masters.elements() == (split ? owned() : Range{0, parameters.layout.size()}),
            "the masters are what the shard level leaves here");
    }
    [[nodiscard]] static std::optional<Scatter> scatter_for(const UpdaterOptions& options,
                                                            const std::vector<Range>& slices) {
        if (!shards_gradients(options.shard)) return std::nullopt;
        return Scatter{*options.data, slices, uses_node_memory(options)};
    }
    [[nodiscard]] Range owned() const { return data_->own(slices_); }
    [[nodiscard]] at::Tensor own_gradient() const {
        return scattered_ ? gradient() : comm::part(gradient(), owned());
    }

    std::vector<Range> slices_;  ///< by rank of the data axis
    ShardLevel level_;
    bool scattered_;    ///< whether leaves are summed over ranks when they come
    bool node_memory_;  ///< whether a node has the weights once
};

}  // namespace

std::unique_ptr<Updater> sharded_updater(const Parameters& parameters,
                                         const std::vector<Range>& slots_of_layers,
                                         const UpdaterOptions& options) {
    return std::make_unique<ShardedUpdater>(parameters, slots_of_layers, options);
}

}  // namespace civitas::optim
