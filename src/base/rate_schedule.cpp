#include "civitas/base/rate_schedule.hpp"

#include "civitas/base/names.hpp"
#include "civitas/base/text.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace civitas {
namespace {

constexpr std::array<NamedValue<RateShape>, 4> shapes{{{"auto", RateShape::automatic},
                                                       {"constant", RateShape::constant},
                                                       {"cosine", RateShape::cosine},
                                                       {"step", RateShape::step}}};

double cosine(const RateSchedule& schedule, std::int64_t done) {
    const std::int64_t length = schedule.total_steps - schedule.warmup_steps;
    const std::int64_t along = std::min(done - schedule.warmup_steps, length);
    const double share = static_cast<double>(along) / static_cast<double>(length);
    return (1 + std::cos(std::numbers::pi * share)) / 2;
}

}  // namespace

RateShape parse_rate_shape(std::string_view name) {
    return value_named(name, "learning-rate schedule", shapes);
}
std::string_view to_string(RateShape shape) { return name_of(shape, shapes); }

RateShape RateSchedule::resolved() const {
    if (shape != RateShape::automatic) return shape;
    return total_steps >= long_run_steps ? RateShape::cosine : RateShape::constant;
}

double RateSchedule::factor(std::int64_t done) const {
    double factor = 1;
    if (done < warmup_steps)
        factor = static_cast<double>(done + 1) / static_cast<double>(warmup_steps);
    else if (resolved() == RateShape::cosine)
        factor = cosine(*this, done);
    if (shape == RateShape::step) {
        const auto passed = std::upper_bound(boundaries.begin(), boundaries.end(), done);
        factor *= std::pow(gamma, static_cast<double>(passed - boundaries.begin()));
    }
    return factor;
}

std::string to_string(const RateSchedule& schedule) {
    std::string words(to_string(schedule.resolved()));
    if (schedule.resolved() == RateShape::cosine) words += text(" to step ", schedule.total_steps);
    if (schedule.shape == RateShape::step)
        words += text(" by ", schedule.gamma, " at ", join(schedule.boundaries, ","));
    if (schedule.warmup_steps > 0) words += text(", warm-up of ", schedule.warmup_steps, " steps");
    return words;
}

void check_schedule(const RateSchedule& schedule) {
    const auto& at = schedule.boundaries;
    const bool stepped = schedule.shape == RateShape::step;
    if (stepped && at.empty())
        throw UsageError("--lr-schedule step, but --lr-steps names no step",
                         Hint{"--lr-steps 3000,6000, or --lr-schedule constant"});
    if (!stepped && !at.empty())
        throw UsageError(text("--lr-steps ", join(at, ","), " is given, but --lr-schedule is ",
                              to_string(schedule.shape)),
                         Hint{"--lr-schedule step, or leave out --lr-steps"});
    std::int64_t before = 0;
    for (const std::int64_t step : at) {
        if (step <= before)
            throw UsageError(
                text("--lr-steps ", join(at, ","), ": ", step, " comes after ", before),
                Hint{"steps from 1 on, each later than the one before"});
        before = step;
    }
}

void check_length(const RateSchedule& schedule) {
    if (schedule.resolved() != RateShape::cosine || schedule.total_steps > schedule.warmup_steps)
        return;
    throw UsageError(text("--lr-schedule ", to_string(schedule.shape),
                          ": the cosine has nothing left after --warmup-steps ",
                          schedule.warmup_steps, " of a run of ", schedule.total_steps, " steps"),
                     Hint{"fewer --warmup-steps, a longer run, or --lr-schedule constant"});
}

}  // namespace civitas
