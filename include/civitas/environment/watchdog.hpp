#pragma once
/// A thread beside the one that works: tells that this process runs, looks whether the ranks of the
/// node move, and ends a job that stands still. It calls no MPI, whose calls may be what hangs.
#include "civitas/environment/hang.hpp"

#include <condition_variable>
#include <functional>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

namespace civitas::environment {

/// What a watchdog does when nobody moves. All are called on threads of its own, must not throw,
/// and may wait for what hangs.
struct WatchdogActs {
    /// Tells the standstill: on one rank of the node. Nobody waits for it longer than the grace
    /// time.
    std::function<void(const Standstill&)> tell;
    /// On one rank of the node: those whose standstill was told have moved within the grace time,
    /// and the job goes on. Where each is watched, and not all together, it was this one.
    std::function<void(std::optional<Rank>)> take_back;
    /// Ends the process: on every rank.
    std::function<void()> end;
};

/// Whose watchdog it is.
struct WatchdogPlace {
    std::vector<Rank> ranks;  ///< of the node, by slot of the board, ascending
    MeshShape mesh;
    int slot = 0;             ///< of this rank
    Rank first = {};          ///< of the mesh
    bool each_moves = false;  ///< a rank that does not move is one too many, unless it waits
};

class Watchdog {
public:
    /// Begins to look. `board` outlives it.
    Watchdog(Board& board, WatchdogPlace place, const Patience& patience, WatchdogActs acts);
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;
    Watchdog(Watchdog&&) = delete;
    Watchdog& operator=(Watchdog&&) = delete;
    ~Watchdog();

private:
    void run();
    /// Returns false when the job was ended.
    [[nodiscard]] bool look(double elapsed_s);
    [[nodiscard]] double unseen_s(int slot, NodeTime now) const;
    /// Ranks that are watched together.
    struct Watched {
        int first, end;  ///< slots of the board
        StandstillDetector detector;
    };
    [[nodiscard]] bool look_at(Watched& ranks, double elapsed_s);
    [[nodiscard]] std::vector<Watched> watched() const;
    [[nodiscard]] Glance glance(const Watched& ranks) const;
    [[nodiscard]] bool are_all(const Watched& ranks) const;
    [[nodiscard]] std::uint32_t number_of(const Watched& ranks) const;
    [[nodiscard]] bool waits(int slot) const;
    [[nodiscard]] Standstill standstill() const;
    void tell(const Watched& ranks);
    void take_back(const Watched& ranks);

    Board& board_;
    WatchdogPlace place_;
    Patience patience_;
    WatchdogActs acts_;
    NodeTime begun_;
    std::vector<Watched> watched_;
    std::future<void> telling_;
    std::mutex guard_;
    std::condition_variable ended_;
    bool over_ = false;
    std::thread thread_;
};

}  // namespace civitas::environment
