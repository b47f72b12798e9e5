#include "civitas/strategy/asynchrony.hpp"

#include "civitas/base/staleness.hpp"
#include "civitas/random/stream.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <queue>
#include <set>
#include <tuple>

namespace civitas::strategy {
namespace {

using Nanoseconds = std::int64_t;

constexpr double nanoseconds_per_second = 1e9;

Nanoseconds nanoseconds(double seconds) { return std::llround(seconds * nanoseconds_per_second); }
double seconds(Nanoseconds time) { return static_cast<double>(time) / nanoseconds_per_second; }

/// How long ranks compute.
class Computing {
public:
    explicit Computing(const RankTimes& times) : times_(times) {}
    /// The time of a rank's step of this number, but for its update.
    [[nodiscard]] Nanoseconds of(std::size_t rank, std::int64_t step) const {
        const double mean = times_.steps[rank] - times_.update;
        if (times_.jitter == 0) return nanoseconds(mean);
        const RandomStream stream(times_.seed, Purpose::times, {rank, 0});
        const double spread = 2 * stream.uniform(static_cast<std::uint64_t>(step)) - 1;
        return nanoseconds(mean * (1 + times_.jitter * spread));
    }

private:
    const RankTimes& times_;
};

/// The events of a job in the order of time.
class Simulation {
public:
    Simulation(const RankTimes& times, std::int64_t batches)
        : times_(times),
          computing_(times),
          left_(batches),
          update_(nanoseconds(times.update)),
          slice_(update_ / times.slices),
          ranks_(times.steps.size()) {
        forecast_.steps.assign(ranks_.size(), 0);
        for (std::size_t rank = 0; rank < ranks_.size(); ++rank) ask(rank);
    }

    [[nodiscard]] Forecast result() {
        while (!events_.empty()) {
            const Event event = events_.top();
            events_.pop();
            now_ = event.time;
            if (event.kind == Event::Kind::computed) {
                update(event.rank);
            } else {
                end(event.rank);
            }
        }
        forecast_.seconds = seconds(now_);
        forecast_.waited = waited_;
        return std::move(forecast_);
    }

private:
    struct Event {
        enum class Kind { computed, ended };
        Nanoseconds time;
        Kind kind;
        std::size_t rank;
        friend bool operator>(const Event& a, const Event& b) {
            return std::tie(a.time, a.kind, a.rank) > std::tie(b.time, b.kind, b.rank);
        }
    };
    struct RankState {
        std::int64_t begun = 0;  ///< steps that had ended when it began its own
        Nanoseconds asked = 0;   ///< when it wanted a batch
    };

    [[nodiscard]] bool may_begin() const {
        if (!times_.max_staleness) return true;
        const std::int64_t missed = active_.empty() ? 0 : ended_ - *active_.begin();
        return may_begin_step(*times_.max_staleness, std::ssize(active_), missed);
    }
    void ask(std::size_t rank) {
        ranks_[rank].asked = now_;
        waiting_.push_back(rank);
        for (; left_ > 0 && !waiting_.empty() && may_begin(); waiting_.pop_front())
            begin(waiting_.front());
    }
    void begin(std::size_t rank) {
        --left_;
        waited_ += seconds(now_ - ranks_[rank].asked);
        ranks_[rank].begun = ended_;
        active_.insert(ended_);
        events_.push(
            {now_ + computing_.of(rank, forecast_.steps[rank]++), Event::Kind::computed, rank});
    }
    // Slices take equally long, so who has entered the first one never waits again.
    void update(std::size_t rank) {
        const Nanoseconds start = std::max(now_, first_slice_free_);
        waited_ += seconds(start - now_);
        first_slice_free_ = start + slice_;
        events_.push({start + update_, Event::Kind::ended, rank});
    }
    void end(std::size_t rank) {
        ++forecast_.staleness[ended_++ - ranks_[rank].begun];
        active_.erase(active_.find(ranks_[rank].begun));
        ask(rank);
    }

    const RankTimes& times_;
    Computing computing_;
    std::int64_t left_;  ///< batches that nobody has taken
    Nanoseconds update_, slice_;
    std::vector<RankState> ranks_;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
    std::multiset<std::int64_t> active_;  ///< of steps that are being made, RankState::begun
    std::deque<std::size_t> waiting_;     ///< ranks that want a batch, the longest first
    Nanoseconds now_ = 0, first_slice_free_ = 0;
    double waited_ = 0;  // of all ranks, which is more than nanoseconds can tell
    std::int64_t ended_ = 0;
    Forecast forecast_;
};

}  // namespace

double Forecast::batches_per_second() const {
    std::int64_t all = 0;
    for (const std::int64_t made : steps) all += made;
    return static_cast<double>(all) / seconds;
}

double Forecast::share_of_waiting() const {
    return waited / (seconds * static_cast<double>(steps.size()));
}

double Forecast::mean_staleness() const {
    double sum = 0, all = 0;
    for (const auto& [missed, times] : staleness) {
        sum += static_cast<double>(missed * times);
        all += static_cast<double>(times);
    }
    return all > 0 ? sum / all : 0;
}

std::int64_t Forecast::staleness_of(double share) const {
    std::int64_t all = 0, so_far = 0;
    for (const auto& entry : staleness) all += entry.second;
    for (const auto& [missed, times] : staleness) {
        so_far += times;
        if (static_cast<double>(so_far) >= share * static_cast<double>(all)) return missed;
    }
    return 0;
}

Forecast without_waiting(const RankTimes& times, std::int64_t batches) {
    return Simulation(times, batches).result();
}

Forecast in_step(const RankTimes& times, std::int64_t batches) {
    const Computing computing(times);
    const auto ranks = static_cast<std::int64_t>(times.steps.size());
    double parts = 0, waited = 0;  // seconds: more than nanoseconds can tell
    for (std::int64_t step = 0; step < batches; ++step) {
        Nanoseconds slowest = 0, sum = 0;
        for (std::size_t rank = 0; rank < times.steps.size(); ++rank) {
            const Nanoseconds part = computing.of(rank, step) + nanoseconds(times.update);
            slowest = std::max(slowest, part);
            sum += part;
        }
        parts += seconds(slowest);
        waited += seconds(ranks * slowest - sum);
    }
    const auto share = static_cast<double>(ranks);
    Forecast forecast{.seconds = parts / share,
                      .steps = std::vector<std::int64_t>(times.steps.size(), 0),
                      .waited = waited / share};
    for (std::int64_t rank = 0; rank < ranks; ++rank)
        forecast.steps[static_cast<std::size_t>(rank)] =
            block_range(batches, static_cast<int>(rank), static_cast<int>(ranks)).count;
    return forecast;
}

}  // namespace civitas::strategy
