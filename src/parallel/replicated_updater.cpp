#include "civitas/base/error.hpp"
#include "civitas/parallel/updater.hpp"

namespace civitas::parallel {
namespace {

std::optional<double> decay_of_mean(const UpdaterOptions& options) {
    return options.ema > 0 ? std::optional(options.ema) : std::nullopt;
}

class ReplicatedUpdater final : public Updater {
public:
    ReplicatedUpdater(const Parameters& parameters, const std::vector<Range>& slots_of_layers,
                      const UpdaterOptions& options)
        : parameters_(parameters),
          data_(options.data),
          reduction_(options.reduction),
          leaves_(parameters.layout, slots_of_layers, options.leaves, type(), device()),
          adam_(parameters.layout, options.adam, type(), device(), decay_of_mean(options)) {
        adam_.start_mean(parameters.weights);
    }

    [[nodiscard]] std::size_t layers() const noexcept override { return leaves_.layers(); }
    [[nodiscard]] std::span<const at::Tensor> leaf(std::size_t layer) const override {
        return leaves_.leaf(layer);
    }
    void push(std::size_t layer) override { leaves_.push(layer); }
    void restart() override { leaves_.restart(); }

    void reduce(Range layers) override {
        const auto sums = leaves_.sums(layers);
        if (data_ == nullptr)
            for (std::size_t pass = 1; pass < sums.size(); ++pass) sums.front().add_(sums[pass]);
        else
            all_reduce(*data_, sums, net::aligned_slices(sums.front().numel(), data_->size()),
                       reduction_);
    }
    [[nodiscard]] bool reduce_is_revocable() const override {
        return data_ == nullptr || (reduction_ == Reduction::tree && data_->is_revocable());
    }
    void step() override { adam_.step(parameters_.weights, gradient(), parameters_.compute_copy); }

    [[nodiscard]] bool is_finite() const override {
        if (data_ == nullptr) return all_finite(gradient());
        const auto slices = net::aligned_slices(parameters_.layout.size(), data_->size());
        return all_finite(comm::part(gradient(), data_->own(slices)));
    }
    [[nodiscard]] std::optional<std::string> first_non_finite() const override {
        return parallel::first_non_finite(gradient(), parameters_.layout);
    }
    void watch() override { leaves_.watch(); }
    [[nodiscard]] const std::optional<BadLeaf>& first_bad_leaf() const noexcept override {
        return leaves_.first_bad();
    }

    [[nodiscard]] OptimizerState state() const override {
        return {adam_.first_moment(), adam_.second_moment(), adam_.mean()};
    }
    void resume_after(std::int64_t steps) override { adam_.set_steps(steps); }
    [[nodiscard]] std::int64_t bytes() const override {
        const auto of = [](const Arena* a) {
            return a == nullptr ? 0 : static_cast<std::int64_t>(a->flat().nbytes());
        };
        const auto [first, second, mean] = state();
        return leaves_.bytes() + of(&first) + of(&second) + of(mean);
    }

private:
    [[nodiscard]] at::ScalarType type() const { return parameters_.weights.flat().scalar_type(); }
    [[nodiscard]] at::Device device() const { return parameters_.weights.flat().device(); }
    /// Whole after reduce() of all layers.
    [[nodiscard]] at::Tensor gradient() const { return leaves_.sums().front(); }

    Parameters parameters_;
    const comm::TensorCollectives* data_;
    Reduction reduction_;
    LeafSum leaves_;
    Adam adam_;
};

}  // namespace

std::unique_ptr<Updater> replicated_updater(const Parameters& parameters,
                                            const std::vector<Range>& slots_of_layers,
                                            const UpdaterOptions& options) {
    return std::make_unique<ReplicatedUpdater>(parameters, slots_of_layers, options);
}

}  // namespace civitas::parallel
