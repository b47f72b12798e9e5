#include "adam_updater.hpp"

#include "civitas/base/error.hpp"

namespace civitas::parallel {
namespace {

class ShardedUpdater final : public AdamUpdater {
public:
    ShardedUpdater(const Parameters& parameters, const std::vector<Range>& slots_of_layers,
                   const UpdaterOptions& options)
        : ShardedUpdater(parameters, slots_of_layers, options,
                         net::owned_slices(parameters.layout, options.data->size())) {}

    void reduce(Range layers) override {
        const auto sums = leaves_.sums(layers);
        const Range part = leaves_.elements(layers);
        auto slices = net::within(slices_, part);
        for (Range& slice : slices) slice.begin -= part.begin;
        reduce_scatter(*data_, sums, slices, reduction_);
    }
    void step() override {
        adam_.step(parameters_.weights, gradient(), nullptr);
        data_->all_gather_slices(parameters_.weights.flat(), slices_);
        if (parameters_.compute_copy != nullptr)
            parameters_.compute_copy->flat().copy_(parameters_.weights.flat());
    }

    [[nodiscard]] bool is_finite() const override {
        return all_finite(comm::part(gradient(), owned()));
    }
    [[nodiscard]] std::optional<std::string> first_non_finite() const override {
        return parallel::first_non_finite(gradient(), parameters_.layout, owned());
    }
    [[nodiscard]] bool is_sharded() const override { return true; }
    [[nodiscard]] std::optional<Arena> whole_mean() const override {
        if (adam_.mean() == nullptr) return std::nullopt;
        Arena whole(parameters_.layout, type(), device());
        comm::part(whole.flat(), owned()).copy_(adam_.mean()->flat());
        data_->all_gather_slices(whole.flat(), slices_);
        return whole;
    }

private:
    ShardedUpdater(const Parameters& parameters, const std::vector<Range>& slots_of_layers,
                   const UpdaterOptions& options, std::vector<Range> slices)
        : AdamUpdater(parameters, slots_of_layers, options, options.data->own(slices)),
          slices_(std::move(slices)) {}
    [[nodiscard]] Range owned() const { return data_->own(slices_); }

    std::vector<Range> slices_;  ///< by rank of the data axis
};

}  // namespace

std::unique_ptr<Updater> sharded_updater(const Parameters& parameters,
                                         const std::vector<Range>& slots_of_layers,
                                         const UpdaterOptions& options) {
    return std::make_unique<ShardedUpdater>(parameters, slots_of_layers, options);
}

}  // namespace civitas::parallel
