#pragma once
/// Steps that ranks make each by itself, between points at which all of them rest.
#include "by_itself.hpp"

#include "civitas/async/batch_counter.hpp"
#include "civitas/async/ring.hpp"
#include "civitas/base/exit.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/report/pace.hpp"

#include <array>
#include <deque>
#include <span>
#include <vector>

namespace civitas::train {

/// The root opens rounds of batches and tells of their steps; the other ranks follow. In a round
/// each rank makes steps of batches that it claims when it is ready, one ahead, and tells of them
/// in memory that all share. At its end all rest, and what one has of the model is what all have.
class AsyncCourse final : public LedCourse {
public:
    /// Shared memory for so many ranks.
    [[nodiscard]] static std::size_t bytes_for(int ranks);
    /// `memory`: bytes_for(ranks) that they share, zeros at first.
    AsyncCourse(const comm::Communicator& ranks, const async::BatchCounter& counter,
                std::span<std::byte> memory, runs::RunState& state);

    /// On the root: a round up to `limit`, or to where a rank wishes to stop or files are due.
    /// Collective with follow() of the others.
    [[nodiscard]] tasks::BetweenSteps advance(steps::StepRunner& runner, std::int64_t limit,
                                              const StepListener& listener) override;
    [[nodiscard]] bool state_is_whole(const steps::StepRunner& /*runner*/) const override {
        return rests_;
    }
    /// Collective with follow() of the others.
    void end(Exit how) override;
    /// Where all ranks have met for the error of one of them, there is nothing to tell.
    void end_by_error(const std::string& why) override;
    [[nodiscard]] bool is_error_of_job() const override { return met_for_error_; }
    /// Makes steps in all rounds.
    [[nodiscard]] Exit follow(steps::StepRunner& runner,
                              const std::function<tasks::BetweenSteps()>& next) override;

private:
    /// What a rank tells of a step, as bytes.
    struct Figures {
        std::int64_t step, rank, staleness;
        double time, seconds, communication_share, waiting_share;
        std::int64_t bytes;
        std::array<double, 16> values;
    };
    using FiguresRing = async::Ring<Figures>;
    /// How a round has gone on this rank.
    struct Share {
        tasks::Wish wish = tasks::Wish::go_on;  ///< the last one
        comm::Outcome error;
    };
    /// Steps of this rank until there are no more for it. `meanwhile`: is called now and then.
    [[nodiscard]] Share make_steps(steps::StepRunner& runner,
                                   const std::function<tasks::BetweenSteps()>& next,
                                   const std::function<void()>& meanwhile);
    /// A step that may be begun.
    struct Begun {
        async::BegunStep step;
        double waited_s = 0;  ///< for other ranks, until it might begin
    };
    /// Begins the step of a batch when it may; none: nobody begins any more.
    [[nodiscard]] std::optional<Begun> begin(std::int64_t batch,
                                             const std::function<void()>& meanwhile) const;
    void make_step(steps::StepRunner& runner, const Begun& begun, Share& share,
                   const std::function<tasks::BetweenSteps()>& next);
    /// Where the root sees it, as soon as there is room.
    void put(const Figures& figures);
    /// On the root: tells of the steps that have ended, but not before it knows names of values.
    void tell(const StepListener& listener);
    /// All ranks rest now. Returns the last of their wishes. Collective; throws the AgreedError of
    /// a rank.
    [[nodiscard]] tasks::Wish rest(const Share& mine);
    [[nodiscard]] report::StepRecord record_of(const Figures& figures);

    const comm::Communicator& ranks_;
    const async::BatchCounter& counter_;
    runs::RunState& state_;
    std::vector<FiguresRing> rings_;  ///< one of each rank
    report::Pace pace_;
    std::vector<report::Pace> paces_;  ///< of each rank
    bool rests_ = true;
    bool met_for_error_ = false;
    std::optional<report::StepRecord> like_;  ///< what records have in common, on the root
    std::deque<Figures> untold_;              ///< of this rank, or on the root of any
};

}  // namespace civitas::train
