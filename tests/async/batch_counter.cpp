#include "support/tensor.hpp"

#include "civitas/async/batch_counter.hpp"

#include <algorithm>
#include <mutex>
#include <set>
#include <thread>

using namespace civitas;
using async::BatchCounter;
using async::BegunStep;

namespace {

/// A counter for threads in the place of ranks.
class Counted {
public:
    explicit Counted(int ranks) : memory_((BatchCounter::bytes_for(ranks) + 63) / 64 + 1) {}
    [[nodiscard]] BatchCounter of(int rank, int ranks,
                                  std::optional<std::int64_t> max_staleness = {}) {
        return {std::as_writable_bytes(std::span(memory_)), ranks, rank, max_staleness};
    }

private:
    struct alignas(64) Line {
        std::byte bytes[64] = {};
    };
    std::vector<Line> memory_;
};

void yield() { std::this_thread::yield(); }

/// Claims a batch and begins its step; none where there is none, or none begins any more.
std::optional<BegunStep> take(const BatchCounter& counter) {
    const auto batch = counter.claim();
    return batch ? counter.begin(*batch, yield) : std::nullopt;
}

/// Makes all steps of a rank, each while it has claimed the batch of the next one.
template <class Work>
void claim_ahead(const BatchCounter& counter, Work&& work) {
    for (auto batch = counter.claim(); batch;) {
        const auto step = counter.begin(*batch, yield);
        if (!step) return;
        batch = counter.claim();
        work(*step);
    }
}

}  // namespace

TEST_CASE("each batch is handed out once, whoever claims it") {
    for (const int ranks : {1, 2, 3, 4})
        for (const std::optional<std::int64_t> bound : {std::optional<std::int64_t>{}, {0}, {2}}) {
            Counted counted(ranks);
            counted.of(0, ranks).open(7, 407);
            std::mutex all;
            std::vector<std::int64_t> made;
            std::vector<std::thread> threads;
            for (int rank = 0; rank < ranks; ++rank)
                threads.emplace_back([&, rank] {
                    const BatchCounter mine = counted.of(rank, ranks, bound);
                    claim_ahead(mine, [&](const BegunStep& step) {
                        {
                            const std::scoped_lock lock(all);
                            made.push_back(step.batch);
                        }
                        (void)mine.end(step);
                    });
                });
            for (std::thread& thread : threads) thread.join();
            CHECK(made.size() == 400);
            if (bound == 0) CHECK(std::is_sorted(made.begin(), made.end()));
            const std::set<std::int64_t> once(made.begin(), made.end());
            CHECK(once.size() == 400);
            CHECK(*once.begin() == 7);
            CHECK(*once.rbegin() == 406);
            CHECK(counted.of(0, ranks).next() == 407);
        }
}

TEST_CASE("no step misses more steps of others than is allowed, and nobody starves") {
    constexpr int ranks = 4;
    for (const std::int64_t bound : {0, 1, 2, 5}) {
        Counted counted(ranks);
        counted.of(0, ranks).open(0, 400);
        std::vector<std::int64_t> most(ranks), steps(ranks);
        std::vector<std::thread> threads;
        for (int rank = 0; rank < ranks; ++rank)
            threads.emplace_back([&, rank] {
                const auto me = static_cast<std::size_t>(rank);
                const BatchCounter mine = counted.of(rank, ranks, bound);
                claim_ahead(mine, [&](const BegunStep& step) {
                    // The last rank is slow.
                    std::this_thread::sleep_for(
                        std::chrono::microseconds(rank == ranks - 1 ? 300 : 50));
                    most[me] = std::max(most[me], mine.end(step));
                    ++steps[me];
                });
            });
        for (std::thread& thread : threads) thread.join();
        INFO("bound " << bound);
        CHECK(*std::max_element(most.begin(), most.end()) <= bound);
        CHECK(*std::min_element(steps.begin(), steps.end()) >= 10);
    }
}

TEST_CASE("without a bound a fast rank takes what a slow one leaves") {
    Counted counted(2);
    const BatchCounter fast = counted.of(0, 2), slow = counted.of(1, 2);
    fast.open(0, 10);
    const auto first = take(slow);
    std::int64_t taken = 0;
    while (const auto step = take(fast)) ++taken, (void)fast.end(*step);
    CHECK(taken == 9);
    CHECK(slow.end(first.value()) == 9);
    CHECK_FALSE(take(slow));
}

TEST_CASE("a batch that is claimed keeps nobody waiting, and ages from when its step begins") {
    Counted counted(2);
    const BatchCounter fast = counted.of(0, 2, 1), idle = counted.of(1, 2, 1);
    fast.open(0, 10);
    CHECK(idle.claim() == 0);
    for (int i = 0; i < 5; ++i) (void)fast.end(take(fast).value());
    const auto late = idle.begin(0, yield);
    CHECK(idle.claim() == 6);
    CHECK(fast.end(take(fast).value()) == 0);
    CHECK(idle.end(late.value()) == 1);
}

TEST_CASE("with a bound of 0 a step waits for those of all earlier batches, begun or not") {
    Counted counted(2);
    const BatchCounter first = counted.of(0, 2, 0), second = counted.of(1, 2, 0);
    first.open(0, 10);
    auto step = take(first);
    CHECK(first.claim() == 1);
    CHECK(second.claim() == 2);
    int waited = 0;
    const auto last = second.begin(2, [&] {
        ++waited;
        if (waited == 2) step = (first.end(step.value()), std::nullopt);
        if (waited == 4) step = first.begin(1, yield);
        if (waited == 6) (void)first.end(step.value());
    });
    CHECK(waited == 6);
    CHECK(second.end(last.value()) == 0);
}

TEST_CASE("of those that wait the one with the earliest batch begins first") {
    struct Waited {};
    Counted counted(3);
    const BatchCounter a = counted.of(0, 3, 1), b = counted.of(1, 3, 1), c = counted.of(2, 3, 1);
    a.open(0, 10);
    const auto of_a = take(a), of_b = take(b);
    CHECK(c.claim() == 2);
    CHECK(a.claim() == 3);
    bool waited = false;
    const auto of_c = c.begin(2, [&] {
        if (std::exchange(waited, true)) return;
        (void)a.end(of_a.value());
        (void)b.end(of_b.value());
        REQUIRE_THROWS_AS(a.begin(3, [] { throw Waited(); }), Waited);
    });
    CHECK(of_c.has_value());
    CHECK(a.begin(3, yield).has_value());
}

TEST_CASE("after a stop nobody claims a batch until the next round, and those claimed are made") {
    Counted counted(1);
    const BatchCounter counter = counted.of(0, 1);
    counter.open(0, 10);
    const auto step = take(counter);
    const auto ahead = counter.claim();
    counter.stop();
    CHECK(counter.end(step.value()) == 0);
    CHECK_FALSE(counter.claim());
    CHECK(counter.end(counter.begin(ahead.value(), yield).value()) == 0);
    CHECK(counter.next() == 2);
    counter.open(2, 3);
    CHECK(take(counter).value().batch == 2);
}

TEST_CASE("after a failure nobody waits for a step that is never made") {
    Counted counted(2);
    const BatchCounter failed = counted.of(0, 2, 0), other = counted.of(1, 2, 0);
    failed.open(0, 10);
    const auto step = take(failed);
    CHECK(failed.claim() == 1);
    std::thread waits([&] { CHECK_FALSE(take(other)); });
    (void)failed.end(step.value());
    failed.fail();
    failed.stop();
    waits.join();
    CHECK_FALSE(failed.claim());
    CHECK_FALSE(other.begin(2, yield));
    failed.open(1, 2);
    CHECK(take(other).value().batch == 1);
}
