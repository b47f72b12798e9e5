#pragma once
/// The watchdog of a training: names the rank that does not move, and ends a job that hangs.
#include "civitas/steps/run.hpp"
#include "civitas/tasks/poster.hpp"

#include "civitas/comm/node_memory.hpp"
#include "civitas/environment/watchdog.hpp"

#include <functional>
#include <optional>

namespace civitas::train {

/// How long nobody may move: --hang-seconds, or by itself twenty steps of the plan, 600 s at least.
/// A limit of 0: for ever.
[[nodiscard]] environment::Patience patience_of(std::optional<double> hang_seconds,
                                                double seconds_of_step);

/// A warning where nobody may move for less than three steps of the plan.
[[nodiscard]] std::optional<std::string> doubt(const environment::Patience& patience,
                                               double seconds_of_step);

/// Writes what a rank's watchdog has found into the run folder. Returns a line that says where it
/// is and what to do, or why it could not be written.
[[nodiscard]] std::string keep_report(const runs::RunFolder& folder, Rank rank,
                                      const environment::Standstill& standstill,
                                      const environment::Words& words);

class Watch {
public:
    /// Watches the ranks of this node until it goes; nobody where --hang-seconds is 0. `last_act`:
    /// done on every rank before its process is ended, on a thread of its own. Where a node has too
    /// little shared memory each of its ranks is watched by itself, with a warning. Collective, as
    /// is the destructor.
    Watch(const steps::Run& run, std::function<void()> last_act);
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    Watch(Watch&&) = delete;
    Watch& operator=(Watch&&) = delete;
    ~Watch();

    /// To post what this rank does; null where nobody watches.
    [[nodiscard]] tasks::Poster* poster() noexcept { return poster_ ? &*poster_ : nullptr; }

private:
    void open_board();
    [[nodiscard]] environment::WatchdogActs acts(std::function<void()> last_act) const;

    const steps::Run& run_;
    environment::Patience patience_;
    std::optional<comm::Communicator> node_;
    std::optional<comm::NodeMemory> shared_;
    std::vector<std::uint64_t> own_;  ///< where the node has no shared memory
    environment::WatchdogPlace place_;
    std::optional<environment::Board> board_;
    std::optional<tasks::Poster> poster_;
    std::optional<environment::Watchdog> watchdog_;
};

}  // namespace civitas::train
