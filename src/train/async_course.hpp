#pragma once
/// Steps that ranks make each by itself, between points at which all of them rest.
#include "course.hpp"

#include "civitas/async/batch_counter.hpp"
#include "civitas/base/exit.hpp"
#include "civitas/comm/agree.hpp"

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
    [[nodiscard]] std::int64_t steps_at_once() const override { return ranks_.size(); }
    /// On the root: lets the others go, with the end of the run. Collective with their follow().
    void end(Exit how);
    /// On the root, after an error: the follow() of the others throws an AgreedError, too, unless
    /// all ranks have met for the error of one of them.
    void end_by_error();
    /// On the other ranks: makes steps in all rounds until the root ends them, and returns how.
    /// Throws AgreedError for an error of any rank in a round, and of the root outside of one.
    [[nodiscard]] Exit follow(StepRunner& runner, const std::function<tasks::BetweenSteps()>& next);

private:
    /// What a rank tells of a step, as bytes.
    struct Figures {
        std::int64_t step, rank, staleness;
        double seconds, communication_share;
        std::int64_t bytes;
        std::array<double, 16> values;
    };
    /// What this rank does in a round.
    struct Share {
        std::vector<Figures> made;
        tasks::Wish wish = tasks::Wish::go_on;  ///< the last one
        comm::Outcome error;
    };
    /// Steps of this rank until the counter has no more for it.
    [[nodiscard]] Share make_steps(StepRunner& runner,
                                   const std::function<tasks::BetweenSteps()>& next);
    void make_step(StepRunner& runner, const async::TakenBatch& batch, Share& share,
                   const std::function<tasks::BetweenSteps()>& next);
    /// The steps of all ranks, which rest now. Collective; throws the AgreedError of a rank.
    [[nodiscard]] StepsEnd rest(const Share& mine);
    [[nodiscard]] report::StepRecord record_of(const Figures& figures) const;

    const comm::Communicator& ranks_;
    const async::BatchCounter& counter_;
    runs::RunState& state_;
    bool rests_ = true;
    bool met_for_error_ = false;
    std::optional<report::StepRecord> like_;  ///< a step of this rank, whose values have names
    std::vector<Figures> untold_;             ///< steps of rounds before it
};

}  // namespace civitas::train
