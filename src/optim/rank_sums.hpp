#pragma once
/// Sums over ranks that are made while this process computes something else.
#include "civitas/comm/collectives.hpp"

#include <ATen/core/Tensor.h>
#include <deque>
#include <memory>
#include <vector>

namespace civitas::optim {

/// Reduce-scatters that have been begun. Each goes on in rounds, of which a few are under way at a
/// time: the memory that they need does not grow with the net, and the pieces of all ranks are
/// added while in cache. Pieces are added in tree order, (r0 + r1) + (r2 + r3) ..., whatever order
/// they came in.
class RankSums {
public:
    explicit RankSums(const comm::TensorCollectives& ranks) : ranks_(ranks) {}

    /// Begins to add up `flat` over ranks: its own slice, which may be empty, gets the sum, what
    /// lies beside it unspecified values. Until finish() nobody else writes to any of it. All ranks
    /// begin the same, in one order. Collective.
    void begin(const at::Tensor& flat, const std::vector<Range>& slices);
    /// Moves what is under way without waiting: adds what is there, and starts what comes next.
    void progress();
    /// Waits until all that was begun has been added up. Throws comm::Revoked as exchanges do.
    void finish();
    /// Forgets what was begun, after an error.
    void clear();

private:
    struct Round {
        std::unique_ptr<comm::AllToAll> exchange;
        at::Tensor own;
    };
    void start_some();
    /// Adds up the oldest round.
    void finish_round();

    const comm::TensorCollectives& ranks_;
    std::deque<Round> rounds_;  ///< in the order they were begun
    std::size_t started_ = 0;   ///< of them
};

}  // namespace civitas::optim
