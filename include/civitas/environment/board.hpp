#pragma once
/// What the ranks of a node do, posted by each in memory that all of them see. Posting is a few
/// stores; reading needs no lock and no call of MPI, and works when a rank is stopped.
#include "civitas/base/rank_row.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace civitas::environment {

/// What a rank does. Numbers of work, nets, passes, stages, layers and actions are the program's;
/// -1: none.
struct Activity {
    std::int64_t step = 0;     ///< that is made, counted from 1; 0: none yet
    std::int32_t micro = -1;   ///< micro-batch within the rank's own
    RankRow awaited = {};      ///< ranks that it waits for; empty: it does not wait
    std::int32_t source = -1;  ///< rank that makes what the action takes
    std::int16_t net = -1, pass = -1, stage = -1, layer = -1, action = -1;
    std::int8_t work = 0;
    bool takes_long = false;  ///< work between steps, which may take many times as long
    friend bool operator==(const Activity&, const Activity&) = default;
};

/// Nanoseconds of a clock that all processes of a node share and that only goes forward.
using NodeTime = std::int64_t;
[[nodiscard]] NodeTime node_time() noexcept;

/// An activity, when it began, and when it was amended last.
struct Posted {
    Activity activity;
    NodeTime begun = 0;
    NodeTime at = 0;
};

class Board {
public:
    /// Posts of each rank that are kept.
    static constexpr std::uint64_t kept = 64;

    /// Bytes of a board of so many ranks.
    [[nodiscard]] static std::int64_t bytes_for(int ranks);
    /// The board in this memory of bytes_for(ranks), which begins at a multiple of 8, outlives it,
    /// and held zeros when the first of its ranks opened it.
    Board(std::span<std::byte> memory, int ranks);

    [[nodiscard]] int ranks() const noexcept { return ranks_; }

    /// Posts what the rank of a slot does from now on. By one thread for each slot.
    void post(int slot, const Activity& activity, NodeTime now) noexcept;
    /// Makes this of the newest post, if there is any: what the rank does has come further.
    void amend(int slot, const Activity& activity, NodeTime now) noexcept;
    /// Tells that the process of a slot runs, and its number. From any one thread.
    void beat(int slot, std::int64_t process, NodeTime now) noexcept;

    /// Posts and amendments of all ranks so far: equal numbers at two times mean that nobody has
    /// moved between.
    [[nodiscard]] std::uint64_t progress() const noexcept { return progress(0, ranks_); }
    /// The same of the slots from `first` to before `end`.
    [[nodiscard]] std::uint64_t progress(int first, int end) const noexcept;
    /// The newest post of a slot; nothing before the first, or while it is being written.
    [[nodiscard]] std::optional<Posted> newest(int slot) const noexcept;
    /// The posts of a slot that are kept, the oldest first.
    [[nodiscard]] std::vector<Posted> posts(int slot) const;
    /// When the process of a slot was last seen to run; 0: never.
    [[nodiscard]] NodeTime seen(int slot) const noexcept;
    [[nodiscard]] std::int64_t process(int slot) const noexcept;

    /// True for the first who claims to tell that those of this number stand still. The node has
    /// one standstill at a time: false until release().
    [[nodiscard]] bool claim(std::uint32_t number) noexcept;
    /// True for the first who says that those of this number, whose standstill was told, move
    /// again.
    [[nodiscard]] bool release(std::uint32_t number) noexcept;
    /// Whether it is told that those of this number stand still.
    [[nodiscard]] bool claimed(std::uint32_t number) const noexcept;

    /// Tells all ranks that the job is ended, once and for all.
    void end() noexcept;
    [[nodiscard]] bool ended() const noexcept;

private:
    struct Entry;
    struct Slot;
    struct Header;
    [[nodiscard]] Slot& slot(int number) const noexcept;
    static void write(Slot& mine, std::uint64_t number, const Posted& posted) noexcept;
    [[nodiscard]] std::optional<Posted> entry(int slot, std::uint64_t number) const noexcept;

    Header* header_;
    Slot* slots_;
    int ranks_;
};

}  // namespace civitas::environment
