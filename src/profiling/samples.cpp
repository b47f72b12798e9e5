#include "samples.hpp"

#include "civitas/base/clock.hpp"
#include "civitas/base/median.hpp"

#include <c10/core/impl/VirtualGuardImpl.h>
#include <algorithm>

namespace civitas::profiling {
namespace {

void wait_for(at::Device device) {
    if (device.is_cpu()) return;
    const c10::impl::VirtualGuardImpl stream(device.type());
    stream.synchronizeStream(stream.getStream(device));
}

}  // namespace

double Samples::typical() const { return seconds_.empty() ? 0 : median(seconds_); }
double Samples::least() const {
    return seconds_.empty() ? 0 : *std::min_element(seconds_.begin(), seconds_.end());
}

void repeat(const Patience& patience, const std::function<void()>& round) {
    const auto [fewest, most, enough_s] = patience;
    const Stopwatch all;
    for (int done = 0; done < fewest || (done < most && all.seconds() < enough_s); ++done) round();
}

double seconds_of(const std::function<void()>& work, at::Device device) {
    const Stopwatch watch;
    work();
    wait_for(device);
    return watch.seconds();
}

}  // namespace civitas::profiling
