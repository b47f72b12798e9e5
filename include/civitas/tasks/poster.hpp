#pragma once
/// Posts what this rank does on the board of its node, which watchdogs read.
#include "civitas/comm/communicator.hpp"
#include "civitas/environment/board.hpp"
#include "civitas/environment/hang.hpp"
#include "civitas/parallel/action_observer.hpp"
#include "civitas/planner/execution_layout.hpp"
#include "civitas/planner/workload.hpp"

namespace civitas::tasks {

/// What a rank is at: the table of a step, or something beside it.
enum class Work : std::int8_t {
    starting,
    table,      ///< the actions of a step
    between,    ///< the end of a step, and what is small between two
    saving,     ///< a checkpoint
    drawing,    ///< a sheet of samples
    searching,  ///< for what made numbers go bad
    writing_trace,
    ending
};

class Poster final : public parallel::ActionObserver, public comm::WaitObserver {
public:
    /// For the rank of a slot of the board, at its place along the pipe axis; both outlive this.
    Poster(environment::Board& board, int slot, const comm::Communicator& pipe);

    /// Posts that this rank begins the table of a step.
    void begin_step(StepIndex step);
    /// Posts what it is at from now on, and returns what it was at.
    Work begin_work(Work work);

    void begin(const schedule::Action& action) override;
    void waiting_for(PipeCoordinate coordinate) override;
    void at_layer(std::size_t layer) override;
    void end(const schedule::Action& /*action*/, double /*waited_s*/) override {}
    void begin_wait(const RankRow& ranks) override;
    void end_wait() override;

private:
    void post() noexcept;
    void amend() noexcept;

    environment::Board& board_;
    int slot_;
    const comm::Communicator& pipe_;
    environment::Activity now_;
    int waits_ = 0;  ///< that lie within each other
};

/// Posts that this rank is at some work as long as it lives; nothing where nobody posts (null).
class AtWork {
public:
    AtWork(Poster* poster, Work work)
        : poster_(poster), before_(poster != nullptr ? poster->begin_work(work) : work) {}
    AtWork(const AtWork&) = delete;
    AtWork& operator=(const AtWork&) = delete;
    AtWork(AtWork&&) = delete;
    AtWork& operator=(AtWork&&) = delete;
    ~AtWork() {
        if (poster_ != nullptr) (void)poster_->begin_work(before_);
    }

private:
    Poster* poster_;
    Work before_;
};

/// What is posted, in words: `D1.real.F3, layer conv2`, `saves a checkpoint`.
[[nodiscard]] environment::Words words_for(const planner::ExecutionLayout& layout,
                                           const planner::Workload& workload);

}  // namespace civitas::tasks
