#include "adam_updater.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>

namespace civitas::optim {
namespace {

class ShardedUpdater final : public AdamUpdater {
public:
    ShardedUpdater(const Parameters& parameters, const std::vector<Range>& slots_of_layers,
                   const UpdaterOptions& options)
        : ShardedUpdater(parameters, slots_of_layers, options,
                         {parameters.layout, slots_of_layers, options.data->size()}) {}

    void reduce() override {
        const auto sums = leaves_.sums();
        if (scattered_) {
            for (std::size_t pass = 1; pass < sums.size(); ++pass) sums.front().add_(sums[pass]);
        } else if (reduction_ == Reduction::fast) {
            all_reduce_in_any_order(*data_, sums);
        } else {
            for (const net::ArenaBlock& block : division_.blocks()) {
                std::vector<at::Tensor> passes;
                for (const at::Tensor& sum : sums)
                    passes.push_back(comm::part(sum, block.elements));
                reduce_scatter(*data_, passes, net::places_within(block.slices, block.elements));
            }
        }
    }
    void step() override {
        const at::Tensor masters = parameters_.masters.flat();
        const at::Tensor copy =
            parameters_.compute_copy == nullptr ? at::Tensor() : parameters_.compute_copy->flat();
        const bool own_copy = node_memory_ && copy.defined();
        adam_.step(masters, gradient(), own_copy ? copy : at::Tensor());
        if (level_ == ShardLevel::parameters) return;
        gather_part(masters, {0, masters.numel()}, division_, *data_);
        if (own_copy)
            gather_part(copy, {0, copy.numel()}, division_, *data_);
        else if (copy.defined())
            copy.copy_(masters);
    }

    [[nodiscard]] bool is_finite() const override {
        const auto runs = runs_in(gradient(), owned());
        return std::all_of(runs.begin(), runs.end(), all_finite);
    }
    [[nodiscard]] std::optional<std::string> first_non_finite() const override {
        return optim::first_non_finite(gradient(), parameters_.layout, owned());
    }
    [[nodiscard]] bool is_sharded() const override { return true; }
    [[nodiscard]] std::optional<Arena> whole_mean() const override {
        if (adam_.mean() == nullptr) return std::nullopt;
        return whole_of(*adam_.mean(), parameters_.layout, division_, *data_);
    }

private:
    ShardedUpdater(const Parameters& parameters, const std::vector<Range>& slots_of_layers,
                   const UpdaterOptions& options, net::ArenaDivision division)
        : AdamUpdater(parameters, slots_of_layers, options,
                      division.owned_by(index(options.data->rank())),
                      scatter_for(options, division)),
          division_(std::move(division)),
          level_(effective_level(options)),
          scattered_(shards_gradients(options.shard)),
          node_memory_(uses_node_memory(options)) {
        const bool split = level_ == ShardLevel::parameters;
        ensure(parameters.masters.flat().numel() ==
                   (split ? owned().count() : parameters.layout.size()),
               "the masters are what the shard level leaves here");
    }
    [[nodiscard]] static std::optional<Scatter> scatter_for(const UpdaterOptions& options,
                                                            const net::ArenaDivision& division) {
        if (!shards_gradients(options.shard)) return std::nullopt;
        return Scatter{*options.data, division, uses_node_memory(options)};
    }
    [[nodiscard]] const net::ArenaRuns& owned() const { return adam_.first_moment().elements(); }

    net::ArenaDivision division_;  ///< among the ranks of the data axis
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
