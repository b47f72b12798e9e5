#pragma once
/// Steps in parts that workers make, by weights that servers keep.
#include "by_itself.hpp"
#include "worker_peaks.hpp"

#include "civitas/base/exit.hpp"
#include "civitas/report/pace.hpp"
#include "civitas/server/coordinator.hpp"
#include "civitas/server/served_net.hpp"

#include <memory>
#include <vector>

namespace civitas::train {

/// What a rank is in a job with servers, and what it has of the nets.
struct ServerRanks {
    ServerRanks(const comm::Communicator& world, const planner::Configuration& configuration,
                Log& log);

    [[nodiscard]] std::vector<optim::SharedModel*> models() const;
    /// Takes messages and answers them, as far as this rank is asked. Returns whether there was an
    /// update to make.
    bool serve();
    /// Lets the root's running statistics follow the updates of its nets. Precondition: the root.
    void follow_updates(runs::RunState& state);

    ServerRoles roles;
    Rank me;
    schedule::StepGraph graph;
    bool waits_within;   ///< whether a part waits for the update of a net within it
    std::int64_t parts;  ///< of a step
    server::Endpoint endpoint;
    server::Worker worker;
    std::vector<std::unique_ptr<server::ServedNet>> nets;  ///< by NetId
    std::optional<server::Coordinator> coordinator;        ///< of the root
};

/// Numbers that a worker tells of a part, beside those of its micro-batches: shares of the time
/// since it told of a part before, of communication and of waiting; bytes; peak of its products.
inline constexpr std::int64_t numbers_of_part = 4;

class ServerCourse final : public LedCourse {
public:
    ServerCourse(ServerRanks& ranks, const steps::Run& run, runs::RunState& state)
        : ranks_(ranks),
          run_(run),
          state_(state),
          peaks_(ranks.roles.workers()),
          pace_(static_cast<std::size_t>(run.configuration.update.max_staleness.value_or(0)) + 1) {}

    /// On the root: steps up to `limit`, or to where a rank wishes to stop.
    [[nodiscard]] tasks::BetweenSteps advance(steps::StepRunner& runner, std::int64_t limit,
                                              const StepListener& listener) override;
    [[nodiscard]] bool state_is_whole(const steps::StepRunner& /*runner*/) const override {
        return rests_;
    }
    /// Ranks that make parts of others do not miss one that was killed, until they end.
    void confirm_stop() override { let_go(Exit::stopped); }
    void post_to(tasks::Poster* poster) override { poster_ = poster; }
    void end(Exit how) override;
    /// Where the run is all that the job does, its end needs no rank that does not answer: `last`
    /// is done before the job ends without it. Else that is an error.
    void end_without_silent(std::function<void()> last) { last_act_ = std::move(last); }
    void end_by_error(const std::string& why) override;
    [[nodiscard]] bool is_error_of_job() const override {
        return ranks_.coordinator->has_told_of_error();
    }
    /// Works and serves.
    [[nodiscard]] Exit follow(steps::StepRunner& runner,
                              const std::function<tasks::BetweenSteps()>& next) override;

private:
    using Next = steps::StepRunner::Next;
    /// Returns which ranks do not answer, in words; empty where all do.
    [[nodiscard]] std::string dismiss(const server::Order& order);
    /// Dismisses the others once, with the end of the run.
    void let_go(Exit how);
    /// Tells the root of this rank's error, and throws it as all know it.
    [[noreturn]] void fail(const std::string& words);
    [[nodiscard]] Exit work_and_serve(steps::StepRunner& runner, const Next& next);
    void make(steps::StepRunner& runner, server::WorkItem item, const Next& next);
    /// Also while this rank waits within another item: by a runner of its own.
    void make_too(server::WorkItem item, const Next& next);
    /// On the root: works until all steps of the round have ended. Returns the last wish.
    [[nodiscard]] tasks::BetweenSteps make_round(steps::StepRunner& runner,
                                                 const StepListener& listener);
    [[nodiscard]] report::StepRecord record_of(const server::EndedStep& step);
    void tell_steps(const StepListener& listener);

    ServerRanks& ranks_;
    const steps::Run& run_;
    runs::RunState& state_;
    tasks::Poster* poster_ = nullptr;
    bool rests_ = true;
    std::size_t depth_ = 0;  ///< items that are being made, one within the other
    std::vector<std::unique_ptr<steps::StepRunner>> beside_;
    std::optional<report::StepRecord> like_;  ///< what records of steps have in common
    WorkerPeaks peaks_;
    tasks::Wish wish_ = tasks::Wish::go_on;
    std::function<void()> last_act_;
    std::optional<std::string> silence_;  ///< of those that were let go with the end of the run
    report::Pace pace_;  ///< of steps, several of which may be made at the same time
};

}  // namespace civitas::train
