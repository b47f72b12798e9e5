#pragma once
/// The time in which a call of MPI may wait for other ranks, as the observer of waits is told it.
#include "civitas/comm/communicator.hpp"
#include "civitas/comm/wait_observer.hpp"

namespace civitas::comm {

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
