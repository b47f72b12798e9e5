#pragma once
/// Who takes which batch, where ranks do not wait for each other.
#include "civitas/async/turns.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace civitas::async {

/// A batch that a rank has taken: the step that it makes of it.
struct TakenBatch {
    std::int64_t number = 0;        ///< from 0
    std::int64_t ended_before = 0;  ///< steps that had ended when it was taken
};

/// Counts batches for ranks that share memory: each number below a limit is handed out once. A
/// bound on staleness, the steps that others end while a rank makes one, is kept by whoever would
/// begin a step too early: it waits.
class BatchCounter {
public:
    [[nodiscard]] static std::size_t bytes_for(int ranks);
    /// `memory`: zeros at first. `me`: the number of this rank of so many.
    BatchCounter(std::span<std::byte> memory, int ranks, int me,
                 std::optional<std::int64_t> max_staleness);

    /// Hands out numbers from `first` to below `limit` from now on. Precondition: nobody takes any,
    /// and nobody makes a step.
    void open(std::int64_t first, std::int64_t limit) const;
    /// The next batch; none at the limit, or after stop(). Calls `rest` while it waits.
    [[nodiscard]] std::optional<TakenBatch> take(const std::function<void()>& rest) const;
    /// The step of the batch that was taken last has ended; returns its staleness.
    std::int64_t end(const TakenBatch& batch) const;
    /// Nobody gets another batch until open().
    void stop() const;
    [[nodiscard]] bool is_stopped() const;
    /// The number of the first batch that has not been handed out. Precondition: nobody takes any.
    [[nodiscard]] std::int64_t next() const;

private:
    /// What is counted, in turns of its own.
    struct Counts {
        std::int64_t next, limit, ended, waited;
    };
    /// What a rank does.
    struct RankState {
        std::int64_t begun;  ///< steps that had ended when it began its own, plus one; 0: none
        std::int64_t waits;  ///< since as many ranks had to wait, itself counted; 0: it does not
    };
    [[nodiscard]] Counts& counts() const;
    [[nodiscard]] std::span<RankState> states() const;
    [[nodiscard]] RankState& mine() const { return states()[static_cast<std::size_t>(me_)]; }
    [[nodiscard]] std::uint32_t& stopped() const;
    /// Whether one more step would leave nobody behind by more than is allowed, and nobody else
    /// has waited longer.
    [[nodiscard]] bool may_begin() const;

    std::span<std::byte> memory_;
    int ranks_, me_;
    std::optional<std::int64_t> max_staleness_;
    Turns turn_;
};

}  // namespace civitas::async
