#pragma once
/// Groups of ranks. Every collective is a verb of a Communicator; every MPI error an exception.
#include "civitas/base/error.hpp"
#include "civitas/base/handle.hpp"
#include "civitas/base/numbers.hpp"
#include "civitas/comm/wait_observer.hpp"

#include <mpi.h>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace civitas::comm {

template <class T>
concept Message = std::is_trivially_copyable_v<T>;

struct CommTraits {
    using type = MPI_Comm;
    static type null() noexcept { return MPI_COMM_NULL; }
    static void destroy(type comm) noexcept;
};

/// A private group of ranks. Copying is spelled dup() because it is a collective call.
/// Counts are 64-bit; messages are cut into pieces that MPI's int counts can say.
class Communicator {
public:
    /// A duplicate of MPI_COMM_WORLD. Collective.
    static Communicator world();
    /// This rank alone. Not collective.
    static Communicator self();

    [[nodiscard]] Communicator dup() const;
    /// The group of the ranks that pass the same color, ordered by key. Collective.
    [[nodiscard]] Communicator split(int color, int key) const;
    /// The group of the ranks on this rank's machine: those that can share memory. Collective.
    [[nodiscard]] Communicator split_by_machine() const;

    [[nodiscard]] Rank rank() const noexcept { return rank_; }
    [[nodiscard]] int size() const noexcept { return size_; }
    [[nodiscard]] bool is_root() const noexcept { return rank_ == Rank{0}; }
    [[nodiscard]] MPI_Comm raw() const noexcept { return comm_.get(); }
    /// The rank, as the job counts it, of a rank of this group.
    [[nodiscard]] Rank rank_in_job(Rank rank) const {
        return ranks_in_job_.at(static_cast<std::size_t>(index(rank)));
    }
    /// The ranks of this group, as the job counts them.
    [[nodiscard]] const RankRow& row_in_job() const noexcept { return row_in_job_; }

    /// Tells `observer`, or nobody for null, when this process waits for others in this
    /// communicator, in what it was made of and in all that is made of either. The observer
    /// outlives that.
    void observe_waits(WaitObserver* observer) const noexcept { *observer_ = observer; }
    [[nodiscard]] WaitObserver* wait_observer() const noexcept { return *observer_; }

    void barrier() const;
    /// A barrier that leaves the core to ranks which compute for long. `meanwhile` is called again
    /// and again, and throws nothing.
    void barrier_at_rest(const std::function<void()>& meanwhile) const;
    /// True only if `mine` is true on every rank.
    [[nodiscard]] bool all(bool mine) const;
    [[nodiscard]] bool any(bool mine) const { return !all(!mine); }
    [[nodiscard]] std::int64_t max(std::int64_t mine) const;
    [[nodiscard]] std::int64_t min(std::int64_t mine) const;
    [[nodiscard]] double max(double mine) const;
    /// The sum over ranks, of integers only: theirs does not depend on the order.
    [[nodiscard]] std::int64_t sum(std::int64_t mine) const;
    [[nodiscard]] std::uint64_t sum(std::uint64_t mine) const;
    /// Element by element, modulo 2^64, in place; every rank brings as many.
    void sum_in_place(std::span<std::uint64_t> values) const;

    template <Message T>
    void broadcast(std::span<T> data, Rank root = Rank{0}) const {
        broadcast_bytes(std::as_writable_bytes(data), root);
    }
    template <Message T>
    [[nodiscard]] T broadcast(T value, Rank root = Rank{0}) const {
        broadcast(std::span<T>(&value, 1), root);
        return value;
    }
    [[nodiscard]] std::string broadcast(std::string value, Rank root = Rank{0}) const;
    /// The root's vector on all ranks; only the root knows its length.
    template <Message T>
    [[nodiscard]] std::vector<T> broadcast(std::vector<T> values, Rank root = Rank{0}) const {
        values.resize(broadcast(values.size(), root));
        broadcast(std::span<T>(values), root);
        return values;
    }

    /// The contributions of all ranks, in rank order; lengths may differ.
    template <Message T>
    [[nodiscard]] std::vector<T> all_gather(std::span<const T> mine) const {
        const auto sizes = all_gather_counts(static_cast<std::int64_t>(mine.size_bytes()));
        std::int64_t total = 0;
        for (const auto s : sizes) total += s;
        std::vector<T> all(static_cast<std::size_t>(total) / sizeof(T));
        all_gather_bytes(std::as_bytes(mine), sizes, std::as_writable_bytes(std::span<T>(all)));
        return all;
    }
    template <Message T>
    [[nodiscard]] std::vector<T> all_gather(const T& mine) const {
        return all_gather(std::span<const T>(&mine, 1));
    }
    /// The texts of all ranks, in rank order.
    [[nodiscard]] std::vector<std::string> all_gather(const std::string& mine) const;

    /// The values of rank `from`, brought to rank `to`; every other rank gets none. Those two ranks
    /// talk, the others may leave it out.
    template <Message T>
    [[nodiscard]] std::vector<T> transfer(std::vector<T> values, Rank from,
                                          Rank to = Rank{0}) const {
        if (from == to) return rank_ == to ? std::move(values) : std::vector<T>{};
        std::int64_t count = std::ssize(values);
        transfer_bytes(std::as_writable_bytes(std::span(&count, 1)), from, to);
        values.resize(rank_ == from || rank_ == to ? static_cast<std::size_t>(count) : 0);
        transfer_bytes(std::as_writable_bytes(std::span<T>(values)), from, to);
        return rank_ == to ? std::move(values) : std::vector<T>{};
    }

    /// Direct exchange: rank j gets slice j of everybody's `data`. `pieces`, size() times this
    /// rank's slice long, gets one piece from each rank, in rank order. The slices are the same on
    /// all ranks. Collective.
    template <Message T>
    void all_to_all_slices(std::span<const T> data, const std::vector<Range>& slices,
                           std::span<T> pieces) const {
        exchange_bytes(std::as_bytes(data), scaled(slices, sizeof(T)),
                       std::as_writable_bytes(pieces));
    }
    /// Every rank brings its own slice of `data` up to date; afterwards all have the whole.
    template <Message T>
    void all_gather_slices(std::span<T> data, const std::vector<Range>& slices) const {
        all_gather_bytes_in_place(std::as_writable_bytes(data), scaled(slices, sizeof(T)));
    }

    /// Every rank brings its own slice of `data` up to date; afterwards all have the whole. By
    /// MPI's own algorithm, which needs few messages where ranks are many and slices short.
    /// Precondition: all slices together are below 2 GiB. Collective.
    template <Message T>
    void all_gather_short_slices(std::span<T> data, const std::vector<Range>& slices) const {
        all_gather_bytes_by_mpi(std::as_writable_bytes(data), scaled(slices, sizeof(T)));
    }

    /// Sums `data` over ranks in place, element by element, in MPI's own order: for `--reduction
    /// fast` only.
    void all_reduce_fast(std::span<float> data) const;
    void all_reduce_fast(std::span<double> data) const;

private:
    /// Who observes waits: one for all communicators that were made of each other.
    using SharedObserver = std::shared_ptr<WaitObserver*>;
    Communicator(MPI_Comm owned, SharedObserver observer);
    static std::vector<Range> scaled(std::vector<Range> slices, std::size_t bytes);
    void broadcast_bytes(std::span<std::byte> data, Rank root) const;
    void transfer_bytes(std::span<std::byte> data, Rank from, Rank to) const;
    [[nodiscard]] std::vector<std::int64_t> all_gather_counts(std::int64_t mine) const;
    void all_gather_bytes(std::span<const std::byte> mine, const std::vector<std::int64_t>& sizes,
                          std::span<std::byte> all) const;
    void all_gather_bytes_in_place(std::span<std::byte> data,
                                   const std::vector<Range>& slices) const;
    void all_gather_bytes_by_mpi(std::span<std::byte> data, const std::vector<Range>& slices) const;
    void exchange_bytes(std::span<const std::byte> data, const std::vector<Range>& slices,
                        std::span<std::byte> pieces) const;

    Handle<CommTraits> comm_;
    Rank rank_{};
    int size_ = 0;
    std::vector<Rank> ranks_in_job_;
    RankRow row_in_job_;
    SharedObserver observer_;
};

}  // namespace civitas::comm
