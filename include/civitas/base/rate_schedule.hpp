#pragma once
/// The learning rate of each step, as a share of the one that was asked for.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace civitas {

/// How the rate goes after the warm-up: it stays; falls along half a cosine to 0 (Loshchilov &
/// Hutter 2017, without restarts); is multiplied by gamma at some steps; or, automatically, falls
/// along a cosine in a run of long_run_steps or more, and stays in a shorter one, which has no time
/// for small rates.
enum class RateShape { automatic, constant, cosine, step };
inline constexpr std::int64_t long_run_steps = 5000;
[[nodiscard]] RateShape parse_rate_shape(std::string_view name);  ///< throws UsageError
[[nodiscard]] std::string_view to_string(RateShape shape);

/// A function of how many steps the run has made, and so the same on every rank.
struct RateSchedule {
    RateShape shape = RateShape::automatic;
    /// In step t of the first ones, from 1, the rate is multiplied by t / warmup_steps (Goyal et
    /// al. 2017, 2.2).
    std::int64_t warmup_steps = 0;
    /// Of the run: a cosine ends there. What is not known yet is 0.
    std::int64_t total_steps = 0;
    /// Steps after which `step` multiplies the rate, ascending, counted from the begin of the run.
    std::vector<std::int64_t> boundaries = {};
    double gamma = 0.1;

    /// What the rate is multiplied by in the step that follows `done` others. As the schedulers of
    /// torch.optim.lr_scheduler have it after `done` calls: MultiStepLR times LinearLR from
    /// 1 / warmup_steps on; or SequentialLR of LinearLR and, for the rest, CosineAnnealingLR with
    /// eta_min 0. Precondition of a cosine: total_steps > warmup_steps.
    [[nodiscard]] double factor(std::int64_t done) const;
    /// What `automatic` is in a run of this length.
    [[nodiscard]] RateShape resolved() const;
};

/// The schedule in words: `cosine to step 90, warm-up of 5 steps`.
[[nodiscard]] std::string to_string(const RateSchedule& schedule);

/// Throws UsageError for boundaries that are missing, not ascending or beside another shape than
/// `step`.
void check_schedule(const RateSchedule& schedule);
/// Throws UsageError where a cosine has no step left after the warm-up.
void check_length(const RateSchedule& schedule);

}  // namespace civitas
