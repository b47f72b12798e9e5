#pragma once
/// How long pieces of work take.
#include <c10/core/Device.h>
#include <functional>
#include <vector>

namespace civitas::profiling {

/// What one piece of work took, time after time.
class Samples {
public:
    void add(double seconds) { seconds_.push_back(seconds); }
    /// The median: a step has quick and slow visits, too.
    [[nodiscard]] double typical() const;
    /// For comparisons: what disturbs one round is not in the other's way.
    [[nodiscard]] double least() const;

private:
    std::vector<double> seconds_;
};

/// How often, and for how long, something is done.
struct Patience {
    int fewest, most;
    double enough_s;
};
/// Patience with one piece of work alone.
inline constexpr Patience brief{2, 12, 0.03};

/// Does it round by round, until it is enough.
void repeat(const Patience& patience, const std::function<void()>& round);

/// Seconds of a piece of work, until the device has done it.
[[nodiscard]] double seconds_of(const std::function<void()>& work, at::Device device);

}  // namespace civitas::profiling
