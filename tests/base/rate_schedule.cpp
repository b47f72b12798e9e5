#include "civitas/base/rate_schedule.hpp"

#include "civitas/base/error.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

using namespace civitas;

namespace {

constexpr std::int64_t warmup = 5;

/// torch.optim.lr_scheduler.LinearLR(start_factor=1/warmup, total_iters=warmup-1), closed form.
double linear(std::int64_t epoch) {
    const double start = 1.0 / warmup;
    const auto iters = static_cast<double>(warmup - 1);
    return start + (1 - start) * std::min(static_cast<double>(epoch), iters) / iters;
}

}  // namespace

TEST_CASE("without a shape and a warm-up the rate is what was asked for, to the bit") {
    const RateSchedule schedule;
    for (const std::int64_t done : {0, 1, 1000, 1'000'000'000}) CHECK(schedule.factor(done) == 1);
}

TEST_CASE("the warm-up is PyTorch's LinearLR from its first step on") {
    const RateSchedule schedule{.warmup_steps = warmup};
    for (std::int64_t done = 0; done < 12; ++done)
        CHECK(schedule.factor(done) == Approx(linear(done)).epsilon(1e-15));
    CHECK(schedule.factor(0) == 0.2);
    CHECK(schedule.factor(warmup - 1) == 1);
    CHECK(RateSchedule{.warmup_steps = 1}.factor(0) == 1);
}

TEST_CASE("after the warm-up the cosine is PyTorch's CosineAnnealingLR over what is left") {
    const RateSchedule schedule{
        .shape = RateShape::cosine, .warmup_steps = warmup, .total_steps = 45};
    const double length = 40;
    double rate = 1;  // by the recursion that its get_lr() has
    for (std::int64_t done = 0; done < 45; ++done) {
        if (done > warmup) {
            const auto epoch = static_cast<double>(done - warmup);
            rate *= (1 + std::cos(std::numbers::pi * epoch / length)) /
                    (1 + std::cos(std::numbers::pi * (epoch - 1) / length));
        }
        CHECK(schedule.factor(done) == Approx(done < warmup ? linear(done) : rate).epsilon(1e-12));
    }
    CHECK(schedule.factor(25) == Approx(0.5));
    CHECK(schedule.factor(45) == Approx(0).margin(1e-15));
    CHECK(schedule.factor(60) == schedule.factor(45));
}

TEST_CASE("at boundaries the rate is multiplied, as PyTorch's MultiStepLR does after LinearLR") {
    const RateSchedule schedule{
        .shape = RateShape::step, .warmup_steps = warmup, .boundaries = {3, 8, 9}, .gamma = 0.5};
    double rate = 1;
    for (std::int64_t done = 0; done < 15; ++done) {
        if (done == 3 || done == 8 || done == 9) rate *= 0.5;
        CHECK(schedule.factor(done) == Approx(rate * linear(done)).epsilon(1e-15));
    }
}

TEST_CASE("by itself the rate falls in long runs alone") {
    const RateSchedule schedule{.total_steps = 5000};
    const RateSchedule cosine{.shape = RateShape::cosine, .total_steps = 5000};
    for (const std::int64_t done : {0, 1000, 4999}) {
        CHECK(schedule.factor(done) == cosine.factor(done));
        CHECK(RateSchedule{.total_steps = 4999}.factor(done) == 1);
    }
    CHECK(schedule.resolved() == RateShape::cosine);
    CHECK(to_string(schedule) == "cosine to step 5000");
    CHECK_THROWS_WITH(check_length({.warmup_steps = 5000, .total_steps = 5000}),
                      Catch::Contains("--lr-schedule auto: the cosine has nothing left after"));
    CHECK_NOTHROW(check_length({.warmup_steps = 90, .total_steps = 50}));
}

TEST_CASE("a schedule is told in words") {
    CHECK(to_string(RateSchedule{}) == "constant");
    CHECK(
        to_string(RateSchedule{.shape = RateShape::cosine, .warmup_steps = 5, .total_steps = 90}) ==
        "cosine to step 90, warm-up of 5 steps");
    CHECK(to_string(RateSchedule{.shape = RateShape::step, .boundaries = {30, 60}, .gamma = 0.2}) ==
          "step by 0.2 at 30,60");
}

TEST_CASE("schedules that cannot be are refused with a hint") {
    CHECK_THROWS_WITH(parse_rate_shape("poly"),
                      "unknown learning-rate schedule 'poly'. Hint: "
                      "auto, constant, cosine or step.");
    CHECK_THROWS_WITH(check_schedule({.shape = RateShape::step}),
                      "--lr-schedule step, but --lr-steps names no step. Hint: --lr-steps "
                      "3000,6000, or --lr-schedule constant.");
    CHECK_THROWS_WITH(check_schedule({.shape = RateShape::cosine, .boundaries = {3}}),
                      "--lr-steps 3 is given, but --lr-schedule is cosine. Hint: --lr-schedule "
                      "step, or leave out --lr-steps.");
    CHECK_THROWS_WITH(check_schedule({.shape = RateShape::step, .boundaries = {3, 3}}),
                      "--lr-steps 3,3: 3 comes after 3. Hint: steps from 1 on, each later than the "
                      "one before.");
    CHECK_NOTHROW(check_schedule({.shape = RateShape::step, .boundaries = {3, 4}}));
    const RateSchedule cosine{.shape = RateShape::cosine, .warmup_steps = 7, .total_steps = 7};
    CHECK_THROWS_WITH(check_length(cosine),
                      "--lr-schedule cosine: the cosine has nothing left after --warmup-steps 7 "
                      "of a run of 7 steps. Hint: fewer --warmup-steps, a longer run, or "
                      "--lr-schedule constant.");
    CHECK_NOTHROW(check_length({.warmup_steps = 7, .total_steps = 7}));
}
