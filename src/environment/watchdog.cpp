#include "civitas/environment/watchdog.hpp"

#include "civitas/base/clock.hpp"
#include "civitas/base/process.hpp"
#include "civitas/base/text.hpp"

#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <utility>

namespace civitas::environment {
namespace {

bool is_over(const std::future<void>& work) {
    return !work.valid() || work.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

}  // namespace

Watchdog::Watchdog(Board& board, WatchdogPlace place, const Patience& patience, WatchdogActs acts)
    : board_(board),
      place_(std::move(place)),
      patience_(patience),
      acts_(std::move(acts)),
      begun_(node_time()),
      detector_(patience),
      thread_([this] { run(); }) {}

Watchdog::~Watchdog() {
    {
        const std::lock_guard only_one(guard_);
        over_ = true;
    }
    ended_.notify_all();
    thread_.join();
}

void Watchdog::run() {
    const std::chrono::duration<double> interval(patience_.interval_s);
    Stopwatch watch;
    std::unique_lock lock(guard_);
    do {
        board_.beat(place_.slot, getpid(), node_time());
        const double elapsed = watch.seconds();
        watch.restart();
        if (!look(elapsed)) return;
    } while (!ended_.wait_for(lock, interval, [this] { return over_; }));
}

bool Watchdog::look(double elapsed_s) {
    // Who has not run itself for so long cannot say that others have not: the job was suspended.
    if (elapsed_s > patience_.limit_s / 4) begun_ = node_time();
    switch (detector_.look(glance(), elapsed_s)) {
        case Alarm::none: break;
        case Alarm::standstill: tell(); break;
        case Alarm::over:
            if (std::exchange(told_, false)) acts_.take_back();
            break;
        case Alarm::end: acts_.end(); return false;
    }
    return true;
}

double Watchdog::unseen_s(int slot, NodeTime now) const {
    return 1e-9 * static_cast<double>(now - std::max(board_.seen(slot), begun_));
}

Glance Watchdog::glance() const {
    Glance glance{board_.progress()};
    const NodeTime now = node_time();
    for (int slot = 0; slot < board_.ranks(); ++slot) {
        const auto newest = board_.newest(slot);
        glance.takes_long = glance.takes_long || (newest && newest->activity.takes_long);
        glance.stopped = glance.stopped || unseen_s(slot, now) > patience_.limit_s / 2;
    }
    return glance;
}

Standstill Watchdog::standstill() const {
    Standstill all{.ranks = {},
                   .now = node_time(),
                   .limit_s = patience_.limit_s,
                   .grace_s = patience_.grace_s,
                   .host = host_name(),
                   .time = now_in_words()};
    for (int slot = 0; slot < board_.ranks(); ++slot) {
        const Rank rank = place_.ranks.at(static_cast<std::size_t>(slot));
        const Rank on_mesh{index(rank) - index(place_.first)};
        all.ranks.push_back({rank, place_.mesh.coordinate(on_mesh), board_.process(slot),
                             unseen_s(slot, all.now), board_.posts(slot)});
    }
    return all;
}

void Watchdog::tell() {
    if (!board_.claim(board_.progress()) || !is_over(telling_)) return;
    told_ = true;
    telling_ =
        std::async(std::launch::async, [tell = acts_.tell, what = standstill()] { tell(what); });
}

}  // namespace civitas::environment
