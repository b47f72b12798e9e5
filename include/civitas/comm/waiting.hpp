#pragma once
/// Waiting for other ranks: how the observer of waits is told of it, and how often is looked.
#include "civitas/comm/communicator.hpp"
#include "civitas/comm/wait_observer.hpp"

#include <chrono>
#include <thread>

namespace civitas::comm {

/// Between two polls. Who has waited for some milliseconds leaves the core to those that compute:
/// ranks and threads may share it. Not before, since pieces of a message on its way move only while
/// both ends poll.
inline void rest(int polls) {
    if (polls < 5000)
        std::this_thread::yield();
    else
        std::this_thread::sleep_for(std::chrono::microseconds(20));
}

/// The time in which a call of MPI may wait, as the observer of waits is told it.
class Waiting {
public:
    /// For any rank of the group. In a group of one nobody waits.
    explicit Waiting(const Communicator& ranks)
        : observer_(ranks.size() > 1 ? ranks.wait_observer() : nullptr) {
        if (observer_ != nullptr) observer_->begin_wait(ranks.row_in_job());
    }
    /// For one rank of the group.
    Waiting(const Communicator& ranks, Rank whom) : observer_(ranks.wait_observer()) {
        if (observer_ != nullptr) observer_->begin_wait(row_of(ranks.rank_in_job(whom)));
    }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
    Waiting(Waiting&&) = delete;
    Waiting& operator=(Waiting&&) = delete;
    ~Waiting() {
        if (observer_ != nullptr) observer_->end_wait();
    }

private:
    WaitObserver* observer_;
};

}  // namespace civitas::comm
