#pragma once
/// An optimizer over an arena, block by block, with the mean of the weights (EMA) in the same pass.
#include "civitas/base/numbers.hpp"
#include "civitas/memory/staged_arrays.hpp"
#include "civitas/optim/arena_shard.hpp"
#include "civitas/optim/update_rule.hpp"

#include <ATen/core/Tensor.h>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace civitas::optim {

/// Elements updated at a time, so that what a block touches stays in cache. A multiple of
/// arena_alignment: cuts elsewhere would change bits.
inline constexpr std::int64_t update_block = std::int64_t{1} << 16;

/// A gradient that is added up block by block, in the threads that update the blocks. Elements are
/// counted from the first of a run of those that are updated.
struct GradientOfTerms {
    std::function<updates::GradientTerms(std::size_t run, Range some)> terms;
    /// Told of the first element of a block whose sum is not finite.
    std::function<void(std::size_t run, std::int64_t element)> on_non_finite;
};

/// An array like the weights that the optimizer keeps, by its name in torch.optim.
struct Moment {
    std::string_view name;
    ArenaShard values;
};

/// Moments and mean of those elements of one net's arena (fp32 or fp64) that a rank updates.
class Optimizer {
public:
    /// `elements`: which, all or those of a rank in a net::ArenaDivision; `device`: that computes;
    /// `offload_to`: where moments and mean lie, on the device without any.
    Optimizer(const net::ArenaLayout& layout, const net::ArenaRuns& elements,
              const OptimizerOptions& options, at::ScalarType type, at::Device device,
              std::optional<double> ema, memory::OffloadMemory* offload_to = nullptr);
    Optimizer(const Optimizer&) = delete;
    Optimizer& operator=(const Optimizer&) = delete;
    ~Optimizer();

    /// One update of `weights` by `gradient`, flat, both of one type, each the whole arena or these
    /// elements alone: see UpdateRule. Also brings the mean of the weights up to date, and
    /// `compute_copy` (bf16), like them, when it is defined. Nothing changes where has_condition()
    /// and a condition is not finite.
    void step(const ArenaShard& weights, const at::Tensor& gradient,
              const at::Tensor& compute_copy = {}, const at::Tensor& condition = {});
    [[nodiscard]] bool has_condition() const {
        return !device_.is_cpu() && rule_.options().kind == OptimizerKind::adam;
    }
    /// The same by a sum that is made in the same pass. Precondition: updates_blocks().
    void step(const ArenaShard& weights, const GradientOfTerms& gradient,
              const at::Tensor& compute_copy = {});
    /// Whether weights are updated block by block where they lie: by a CPU.
    [[nodiscard]] bool updates_blocks() const { return !staged_ && device_.is_cpu(); }

    [[nodiscard]] const net::ArenaRuns& elements() const noexcept { return elements_; }
    /// In the order of UpdateRule; none with SGD without momentum.
    [[nodiscard]] const std::vector<Moment>& moments() const noexcept { return moments_; }
    /// The mean of the weights, null without EMA: mean = d mean + (1 - d) weights with d =
    /// mean_decay(ema, step) after every step. It starts as a copy of the weights: the first step
    /// makes it, start_mean() makes it earlier.
    [[nodiscard]] const ArenaShard* mean() const noexcept { return mean_ ? &*mean_ : nullptr; }
    void start_mean(const at::Tensor& weights);
    /// Of moments and mean, wherever they lie.
    [[nodiscard]] std::int64_t bytes() const;
    /// Of these, what is offloaded.
    [[nodiscard]] std::int64_t offloaded_bytes() const {
        return offload_to_ == nullptr ? 0 : bytes();
    }
    [[nodiscard]] std::int64_t steps() const noexcept { return steps_; }
    /// Goes on after so many updates, whose moments and mean have been loaded.
    void set_steps(std::int64_t steps) noexcept { steps_ = steps; }

private:
    /// Updates some elements of a run, counted from its first.
    using UpdateRun =
        std::function<void(std::size_t run, const updates::UpdateArrays& arrays, Range some)>;
    /// Calls `update_run` for each run, window by window of what is offloaded.
    void step(const ArenaShard& weights, const at::Tensor& gradient, const at::Tensor& compute_copy,
              const UpdateRun& update_run);
    /// Updates some elements, counted from the first of them, block by block.
    void update_all(const updates::UpdateArrays& arrays, Range elements) const;
    void update(const updates::UpdateArrays& block) const { rule_.update(block, number()); }
    [[nodiscard]] UpdateNumber number() const { return {steps_, steps_}; }
    /// The same where some of the arrays lie elsewhere: the state, and maybe the weights.
    void update_staged(const updates::UpdateArrays& arrays, Range elements, bool weights);

    UpdateRule rule_;
    net::ArenaRuns elements_;
    at::Device device_;
    const memory::OffloadMemory* offload_to_;
    std::vector<Moment> moments_;
    std::optional<ArenaShard> mean_;
    std::int64_t steps_ = 0;
    std::unique_ptr<memory::StagedArrays> staged_;  ///< where the device uses nothing offloaded
};

}  // namespace civitas::optim
