#pragma once
/// A request to stop (SIGUSR1 or SIGTERM), asked for at a moment of our choosing.
#include "civitas/base/handle.hpp"

#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace civitas {

struct DescriptorTraits {
    using type = int;
    static type null() noexcept { return -1; }
    static void destroy(type descriptor) noexcept;
};
using Descriptor = Handle<DescriptorTraits>;

/// Blocks SIGUSR1 and SIGTERM and reads them from a descriptor, so no handler and no global is
/// needed. Construct before MPI_Init and before any other thread: all threads inherit the mask.
///
/// Until requested() is first called, the program is starting, which may take long or hang: then a
/// signal ends the process at once, with code 75 and a word, since there is nothing to save yet.
class StopSignals {
public:
    StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;
    ~StopSignals();

    /// True once a signal has come (and ever after).
    [[nodiscard]] bool requested();
    /// Whether others ask to stop at the end of an epoch; see Shared.
    [[nodiscard]] bool requested_after_epoch() const { return after_epoch_ && after_epoch_(); }

    /// While this lives, `share` is called whenever requested() is, with whether a signal has come
    /// here, which it may tell others; what it returns, that others were asked to stop, counts as
    /// well. requested_after_epoch() is what `after_epoch` returns, false without.
    class Shared {
    public:
        Shared(StopSignals& signals, std::function<bool(bool seen)> share,
               std::function<bool()> after_epoch = {})
            : signals_(signals) {
            signals_.share_ = std::move(share);
            signals_.after_epoch_ = std::move(after_epoch);
        }
        Shared(const Shared&) = delete;
        Shared& operator=(const Shared&) = delete;
        ~Shared() {
            signals_.share_ = nullptr;
            signals_.after_epoch_ = nullptr;
        }

    private:
        StopSignals& signals_;
    };

    /// While this lives, a signal that ends the program in its start has `act` done first, on
    /// another thread.
    class LastAct {
    public:
        LastAct(StopSignals& signals, std::function<void()> act);
        LastAct(const LastAct&) = delete;
        LastAct& operator=(const LastAct&) = delete;
        ~LastAct();

    private:
        StopSignals& signals_;
    };

private:
    void watch_start();
    void started();
    void set_last_act(std::function<void()> act);

    Descriptor descriptor_;
    Descriptor started_;  ///< readable once the start is over
    std::mutex last_act_guard_;
    std::function<void()> last_act_;
    std::thread watch_;
    std::function<bool(bool seen)> share_;
    std::function<bool()> after_epoch_;
    bool seen_ = false;
};

/// Unblocks SIGUSR1 and SIGTERM, which whoever started this program may have blocked: for programs
/// that both may end.
void let_stop_signals_end_us();

/// Makes a write beyond the limit of a file's size (`ulimit -f`) an error of that write, as a full
/// disk is, and no signal.
void ignore_file_size_signal();

}  // namespace civitas
