#pragma once
/// Told while it happens: this process waits for other ranks.
#include "civitas/base/rank_row.hpp"

namespace civitas::comm {

class WaitObserver {
public:
    WaitObserver() = default;
    WaitObserver(const WaitObserver&) = delete;
    WaitObserver& operator=(const WaitObserver&) = delete;
    WaitObserver(WaitObserver&&) = delete;
    WaitObserver& operator=(WaitObserver&&) = delete;
    virtual ~WaitObserver() = default;

    /// From now on this process waits for one or more of these ranks of the job, itself maybe among
    /// them. A wait may lie within another.
    virtual void begin_wait(const RankRow& ranks) = 0;
    virtual void end_wait() = 0;
};

}  // namespace civitas::comm
