#pragma once
/// How fast steps are made that end at any time.
#include <cstddef>
#include <deque>

namespace civitas::report {

/// Steps a second over the last seconds, of steps of which so many are made at the same time.
class Pace {
public:
    explicit Pace(std::size_t at_a_time) : at_a_time_(at_a_time) {}

    /// Steps are made from this time on, in seconds.
    void begin(double time) { ends_ = {time}; }
    /// A step has ended. Returns steps a second since the latest time that lies few seconds back,
    /// and at least so many steps; 0 where no time has gone by.
    [[nodiscard]] double step_ended(double time) {
        constexpr double seconds = 5;
        ends_.push_back(ends_.empty() || time > ends_.back() ? time : ends_.back());
        while (ends_.size() > at_a_time_ + 1 && ends_.back() - ends_.front() > seconds)
            ends_.pop_front();
        const double gone_by = ends_.back() - ends_.front();
        return gone_by > 0 ? static_cast<double>(ends_.size() - 1) / gone_by : 0;
    }

private:
    std::size_t at_a_time_;
    std::deque<double> ends_;  ///< when steps ended, and before them when they began
};

}  // namespace civitas::report
