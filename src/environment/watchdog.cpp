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
      watched_(watched()),
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
    // A rank that was stopped and is woken by the end of the others has nothing to tell of them.
    if (board_.ended()) {
        acts_.end();
        return false;
    }
    // Who has not run itself for so long cannot say that others have not: the job was suspended.
    if (elapsed_s > patience_.limit_s / 4) begun_ = node_time();
    return std::all_of(watched_.begin(), watched_.end(),
                       [&](Watched& ranks) { return look_at(ranks, elapsed_s); });
}

bool Watchdog::look_at(Watched& ranks, double elapsed_s) {
    switch (ranks.detector.look(glance(ranks), elapsed_s)) {
        case Alarm::none: break;
        case Alarm::standstill: tell(ranks); break;
        case Alarm::over: take_back(ranks); break;
        case Alarm::end:
            board_.end();
            acts_.end();
            return false;
    }
    return true;
}

std::vector<Watchdog::Watched> Watchdog::watched() const {
    std::vector<Watched> all{{0, board_.ranks(), StandstillDetector(patience_)}};
    if (place_.each_moves && board_.ranks() > 1)
        for (int slot = 0; slot < board_.ranks(); ++slot)
            all.push_back({slot, slot + 1, StandstillDetector(patience_)});
    return all;
}

double Watchdog::unseen_s(int slot, NodeTime now) const {
    return 1e-9 * static_cast<double>(now - std::max(board_.seen(slot), begun_));
}

bool Watchdog::waits(int slot) const {
    const auto newest = board_.newest(slot);
    return newest && !newest->activity.awaited.empty();
}

bool Watchdog::are_all(const Watched& ranks) const {
    return ranks.end - ranks.first == board_.ranks();
}

std::uint32_t Watchdog::number_of(const Watched& ranks) const {
    return are_all(ranks) ? 0 : static_cast<std::uint32_t>(ranks.first) + 1;
}

Glance Watchdog::glance(const Watched& ranks) const {
    Glance glance{.progress = board_.progress(ranks.first, ranks.end),
                  .told = board_.claimed(number_of(ranks))};
    const NodeTime now = node_time();
    bool all_wait = true;
    for (int slot = ranks.first; slot < ranks.end; ++slot) {
        const auto newest = board_.newest(slot);
        all_wait = all_wait && waits(slot);
        glance.takes_long = glance.takes_long || (newest && newest->activity.takes_long);
        glance.stopped = glance.stopped || unseen_s(slot, now) > patience_.limit_s / 2;
    }
    // Where each is watched, those that wait are not to blame, and all together only if all wait.
    if (watched_.size() > 1 && all_wait != are_all(ranks))
        glance.progress = static_cast<std::uint64_t>(now);
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

void Watchdog::tell(const Watched& ranks) {
    if (!is_over(telling_) || !board_.claim(number_of(ranks))) return;
    Standstill what = standstill();
    what.of_all = are_all(ranks);
    telling_ = std::async(std::launch::async, [tell = acts_.tell, what] { tell(what); });
}

void Watchdog::take_back(const Watched& ranks) {
    if (!board_.release(number_of(ranks))) return;
    acts_.take_back(are_all(ranks) ? std::optional<Rank>()
                                   : place_.ranks.at(static_cast<std::size_t>(ranks.first)));
}

}  // namespace civitas::environment
