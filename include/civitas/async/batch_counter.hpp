#pragma once
/// Who takes which batch, where ranks do not wait for each other.
#include "civitas/async/turns.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace civitas::async {

/// A step that a rank makes of a batch that it has claimed.
struct BegunStep {
    std::int64_t batch = 0;         ///< its number, from 0
    std::int64_t ended_before = 0;  ///< steps that had ended when it began
};

/// Counts batches for ranks that share memory: each number below a limit is handed out once, to be
/// made by who has claimed it. A bound on staleness, the steps that others end while a rank makes
/// one, is kept by whoever would begin a step too early: it waits. With a bound of 0 steps are made
/// in the order of their batches.
class BatchCounter {
public:
    [[nodiscard]] static std::size_t bytes_for(int ranks);
    /// `memory`: zeros at first. `me`: the number of this rank of so many.
    BatchCounter(std::span<std::byte> memory, int ranks, int me,
                 std::optional<std::int64_t> max_staleness);

    /// Hands out numbers from `first` to below `limit` from now on. Precondition: nobody claims
    /// any, and nobody makes a step.
    void open(std::int64_t first, std::int64_t limit) const;
    /// The next batch; none at the limit, or after stop(). A rank may claim one while it makes the
    /// step of another: nobody is kept waiting for a step that has not begun.
    [[nodiscard]] std::optional<std::int64_t> claim() const;
    /// Begins the step of a batch that this rank has claimed; none after fail(). Calls `rest` while
    /// it waits.
    [[nodiscard]] std::optional<BegunStep> begin(std::int64_t batch,
                                                 const std::function<void()>& rest) const;
    /// The step that was begun last has ended; returns its staleness.
    std::int64_t end(const BegunStep& step) const;
    /// Nobody gets another batch until open(); those that are claimed are made.
    void stop() const;
    /// Nobody begins another step until open().
    void fail() const;
    /// The number of the first batch that has not been handed out. Precondition: nobody claims any.
    [[nodiscard]] std::int64_t next() const;

private:
    /// What is counted, in turns of its own.
    struct Counts {
        std::int64_t next, limit, ended;
    };
    /// What a rank does.
    struct RankState {
        std::int64_t begun;  ///< steps that had ended when it began its own, plus one; 0: none
        std::int64_t waits;  ///< the batch with which it waits, plus one; 0: it does not
    };
    /// Whether batches are handed out, and steps begun.
    enum class Phase : std::uint32_t { open, stopped, failed };
    [[nodiscard]] Counts& counts() const;
    [[nodiscard]] std::span<RankState> states() const;
    [[nodiscard]] RankState& mine() const { return states()[static_cast<std::size_t>(me_)]; }
    [[nodiscard]] Phase& phase() const;
    [[nodiscard]] Phase phase_now() const;
    /// The phase, unless it is a later one.
    void advance_to(Phase phase) const;
    /// Whether the step of a batch would leave nobody behind by more than is allowed, and nobody
    /// waits with an earlier one.
    [[nodiscard]] bool may_begin(std::int64_t batch) const;

    std::span<std::byte> memory_;
    int ranks_, me_;
    std::optional<std::int64_t> max_staleness_;
    Turns turn_;
};

}  // namespace civitas::async
