#pragma once
/// What updates shared weights by the gradients of one rank.
#include "shared_arrays.hpp"

#include "civitas/optim/reduction.hpp"

#include <memory>

namespace civitas::async {

class AsyncUpdater final : public optim::Updater {
public:
    AsyncUpdater(const optim::Parameters& parameters, const std::vector<Range>& slots_of_layers,
                 const optim::UpdaterOptions& options, std::shared_ptr<SharedArrays> arrays)
        : parameters_(parameters),
          leaves_(parameters.layout, slots_of_layers, options.leaves,
                  parameters.masters.flat().scalar_type(), parameters.device),
          arrays_(std::move(arrays)) {}

    [[nodiscard]] std::size_t layers() const noexcept override { return leaves_.layers(); }
    [[nodiscard]] std::span<const at::Tensor> leaf(std::size_t layer) override {
        return leaves_.leaf(layer);
    }
    void push(std::size_t layer) override { leaves_.push(layer); }
    void restart() override { leaves_.restart(); }
    [[nodiscard]] optim::GradientAccumulator& leaves_of(int /*replica*/) override { return *this; }
    void reduce() override {
        const auto sums = leaves_.sums();
        for (std::size_t pass = 1; pass < sums.size(); ++pass) sums.front().add_(sums[pass]);
    }
    [[nodiscard]] bool is_updating() const override { return false; }
    void take_back() override {}
    [[nodiscard]] bool reduce_is_revocable() const override { return true; }
    void step() override { arrays_->update(gradient()); }
    [[nodiscard]] std::int64_t updates() const override { return arrays_->updates(); }

    [[nodiscard]] bool is_finite() const override { return optim::all_finite(gradient()); }
    [[nodiscard]] std::optional<std::string> first_non_finite() const override {
        return optim::first_non_finite(gradient(), parameters_.layout,
                                       net::all_of(parameters_.layout));
    }
    void watch() override { leaves_.watch(); }
    [[nodiscard]] std::optional<optim::BadLeaf> first_bad_leaf() const override {
        return leaves_.first_bad();
    }
    [[nodiscard]] optim::OptimizerState state() const override {
        return {arrays_->moments(), arrays_->mean()};
    }
    [[nodiscard]] bool is_sharded() const override { return false; }
    [[nodiscard]] std::optional<optim::Arena> whole_mean() const override {
        if (arrays_->mean() == nullptr) return std::nullopt;
        return optim::Arena(parameters_.layout, arrays_->mean()->flat().clone());
    }
    void start_mean() override { arrays_->start_mean(); }
    void resume_after(std::int64_t steps) override { arrays_->set_steps(steps); }
    [[nodiscard]] std::int64_t bytes() const override { return leaves_.bytes() + arrays_->bytes(); }
    [[nodiscard]] std::int64_t offloaded_bytes() const override { return 0; }

private:
    [[nodiscard]] at::Tensor gradient() const { return leaves_.sums().front(); }

    optim::Parameters parameters_;
    optim::LeafSum leaves_;
    std::shared_ptr<SharedArrays> arrays_;
};

}  // namespace civitas::async
