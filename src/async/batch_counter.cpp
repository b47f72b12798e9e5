#include "civitas/async/batch_counter.hpp"

#include "civitas/base/staleness.hpp"

#include <algorithm>

namespace civitas::async {
namespace {

constexpr std::size_t line = 64;

}  // namespace

std::size_t BatchCounter::bytes_for(int ranks) {
    return Turns::bytes_for(1) + 2 * line + static_cast<std::size_t>(ranks) * sizeof(RankState);
}

BatchCounter::BatchCounter(std::span<std::byte> memory, int ranks, int me,
                           std::optional<std::int64_t> max_staleness)
    : memory_(memory), ranks_(ranks), me_(me), max_staleness_(max_staleness), turn_(memory, 1) {}

BatchCounter::Counts& BatchCounter::counts() const {
    return *reinterpret_cast<Counts*>(memory_.data() + Turns::bytes_for(1));
}

BatchCounter::Phase& BatchCounter::phase() const {
    return *reinterpret_cast<Phase*>(memory_.data() + Turns::bytes_for(1) + line);
}

BatchCounter::Phase BatchCounter::phase_now() const {
    return std::atomic_ref(phase()).load(std::memory_order_acquire);
}

std::span<BatchCounter::RankState> BatchCounter::states() const {
    return {reinterpret_cast<RankState*>(memory_.data() + Turns::bytes_for(1) + 2 * line),
            static_cast<std::size_t>(ranks_)};
}

void BatchCounter::open(std::int64_t first, std::int64_t limit) const {
    turn_.take(0, [&](std::uint64_t& /*version*/) { counts() = {first, limit, first}; });
    std::atomic_ref(phase()).store(Phase::open, std::memory_order_release);
}

std::optional<std::int64_t> BatchCounter::claim() const {
    std::optional<std::int64_t> claimed;
    turn_.take(0, [&](std::uint64_t& /*version*/) {
        if (phase_now() == Phase::open && counts().next < counts().limit) claimed = counts().next++;
    });
    return claimed;
}

bool BatchCounter::may_begin(std::int64_t batch) const {
    if (!max_staleness_) return true;
    if (*max_staleness_ == 0) return batch == counts().ended;
    std::int64_t active = 0, missed = 0;
    for (const RankState& rank : states()) {
        if (rank.waits > 0 && rank.waits - 1 < batch) return false;
        if (rank.begun == 0) continue;
        ++active;
        missed = std::max(missed, counts().ended - (rank.begun - 1));
    }
    return may_begin_step(*max_staleness_, active, missed);
}

std::optional<BegunStep> BatchCounter::begin(std::int64_t batch,
                                             const std::function<void()>& rest) const {
    std::optional<BegunStep> begun;
    for (bool waits = true; waits;) {
        turn_.take(0, [&](std::uint64_t& /*version*/) {
            const bool never = phase_now() == Phase::failed;
            waits = !never && !may_begin(batch);
            mine().waits = waits ? batch + 1 : 0;
            if (waits || never) return;
            begun = {batch, counts().ended};
            mine().begun = counts().ended + 1;
        });
        if (waits) rest();
    }
    return begun;
}

std::int64_t BatchCounter::end(const BegunStep& step) const {
    std::int64_t staleness = 0;
    turn_.take(0, [&](std::uint64_t& /*version*/) {
        staleness = counts().ended++ - step.ended_before;
        mine().begun = 0;
    });
    return staleness;
}

void BatchCounter::advance_to(Phase phase) const {
    turn_.take(0, [&](std::uint64_t& /*version*/) {
        if (phase_now() < phase)
            std::atomic_ref(this->phase()).store(phase, std::memory_order_release);
    });
}

void BatchCounter::stop() const { advance_to(Phase::stopped); }
void BatchCounter::fail() const { advance_to(Phase::failed); }

std::int64_t BatchCounter::next() const {
    std::int64_t next = 0;
    turn_.take(0, [&](std::uint64_t& /*version*/) { next = counts().next; });
    return next;
}

}  // namespace civitas::async
