#include "civitas/population/meeting.hpp"

#include <ATen/ops/zeros.h>
#include <chrono>
#include <thread>

namespace civitas::population {
namespace {

constexpr comm::Tag here{0};
constexpr std::chrono::milliseconds between_looks{20};

at::Tensor word() { return at::zeros({1}, at::kByte); }

}  // namespace

void Meeting::send(Rank to) {
    messages_.send(to, here, word());
    messages_.flush(here);
}

void Meeting::receive(Rank from, const std::function<void()>& meanwhile) {
    messages_.post_receive(from, here, word());
    while (!messages_.is_there(from, here)) {
        meanwhile();
        std::this_thread::sleep_for(between_looks);
    }
    (void)messages_.wait(from, here);
}

// The first rank hears of all, then tells all.
void Meeting::wait(const std::function<void()>& meanwhile) {
    const Rank first{0};
    if (!job_.is_root()) {
        send(first);
        receive(first, meanwhile);
        return;
    }
    for (int other = 1; other < job_.size(); ++other) receive(Rank{other}, meanwhile);
    for (int other = 1; other < job_.size(); ++other) send(Rank{other});
}

}  // namespace civitas::population
