#pragma once
/// Steps that ranks make each by itself, between points at which all of them rest.
#include "course.hpp"

#include "civitas/async/batch_counter.hpp"
#include "civitas/base/exit.hpp"
#include "civitas/comm/communicator.hpp"

#include <array>

namespace civitas::train {

/// The root opens rounds of batches and tells of their steps; the other ranks follow. In a round
/// each rank takes a batch when it is ready. At its end all rest, and what one has of the model is
/// what all have.
class AsyncCourse final : public Course {
public:
    AsyncCourse(const comm::Communicator& ranks, const async::BatchCounter& counter,
                runs::RunState& state)
        : ranks_(ranks), counter_(counter), state_(state) {}

    /// On the root: a round up to `limit`, or to where a rank wishes to stop. Collective with
    /// follow() of the others.
    [[nodiscard]] StepsEnd advance(StepRunner& runner, std::int64_t limit,
                                   const std::function<tasks::BetweenSteps()>& next) override;
    [[nodiscard]] bool state_is_whole(const StepRunner& /*runner*/) const override {
        return rests_;
    }
    /// On the root: lets the others go, with the end of the run. Collective with their follow().
    void end(Exit how);
    /// On the other ranks: makes steps in all rounds until the root ends them, and returns how.
    [[nodiscard]] Exit follow(StepRunner& runner, const std::function<tasks::BetweenSteps()>& next);

private:
    /// What a rank tells of a step, as bytes.
    struct Figures {
        std::int64_t step, rank, staleness;
        double seconds, communication_share;
        std::int64_t bytes;
        std::array<double, 16> values;
    };
    /// Steps of this rank until the counter has no more for it; its last wish.
    [[nodiscard]] tasks::Wish make_steps(StepRunner& runner, std::vector<Figures>& made,
                                         const std::function<tasks::BetweenSteps()>& next);
    /// The steps of all ranks, which rest now. Collective.
    [[nodiscard]] StepsEnd rest(const std::vector<Figures>& made, tasks::Wish wish);
    [[nodiscard]] report::StepRecord record_of(const Figures& figures) const;

    const comm::Communicator& ranks_;
    const async::BatchCounter& counter_;
    runs::RunState& state_;
    bool rests_ = true;
    std::optional<report::StepRecord> like_;  ///< a step of this rank, whose values have names
    std::vector<Figures> untold_;             ///< steps of rounds before it
};

}  // namespace civitas::train
