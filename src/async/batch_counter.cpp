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

std::uint32_t& BatchCounter::stopped() const {
    return *reinterpret_cast<std::uint32_t*>(memory_.data() + Turns::bytes_for(1) + line);
}

std::span<BatchCounter::RankState> BatchCounter::states() const {
    return {reinterpret_cast<RankState*>(memory_.data() + Turns::bytes_for(1) + 2 * line),
            static_cast<std::size_t>(ranks_)};
}

void BatchCounter::open(std::int64_t first, std::int64_t limit) const {
    turn_.take(0, [&](std::uint64_t& /*version*/) {
        counts().next = first;
        counts().limit = limit;
    });
    std::atomic_ref(stopped()).store(0, std::memory_order_release);
}

bool BatchCounter::may_begin() const {
    if (!max_staleness_) return true;
    std::int64_t active = 0, missed = 0;
    for (const RankState& rank : states()) {
        if (rank.waits > 0 && (mine().waits == 0 || rank.waits < mine().waits)) return false;
        if (rank.begun == 0) continue;
        ++active;
        missed = std::max(missed, counts().ended - (rank.begun - 1));
    }
    return may_begin_step(*max_staleness_, active, missed);
}

std::optional<TakenBatch> BatchCounter::take(const std::function<void()>& rest) const {
    std::optional<TakenBatch> taken;
    for (bool waits = true; waits;) {
        turn_.take(0, [&](std::uint64_t& /*version*/) {
            const bool none = is_stopped() || counts().next >= counts().limit;
            waits = !none && !may_begin();
            if (waits && mine().waits == 0) mine().waits = ++counts().waited;
            if (waits) return;
            mine().waits = 0;
            if (none) return;
            taken = {counts().next++, counts().ended};
            mine().begun = counts().ended + 1;
        });
        if (waits) rest();
    }
    return taken;
}

std::int64_t BatchCounter::end(const TakenBatch& batch) const {
    std::int64_t staleness = 0;
    turn_.take(0, [&](std::uint64_t& /*version*/) {
        staleness = counts().ended++ - batch.ended_before;
        mine().begun = 0;
    });
    return staleness;
}

void BatchCounter::stop() const { std::atomic_ref(stopped()).store(1, std::memory_order_release); }

bool BatchCounter::is_stopped() const {
    return std::atomic_ref(stopped()).load(std::memory_order_acquire) != 0;
}

std::int64_t BatchCounter::next() const {
    std::int64_t next = 0;
    turn_.take(0, [&](std::uint64_t& /*version*/) { next = counts().next; });
    return next;
}

}  // namespace civitas::async
