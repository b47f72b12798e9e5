#include "support/tensor.hpp"

#include "civitas/async/batch_counter.hpp"

#include <algorithm>
#include <mutex>
#include <set>
#include <thread>

using namespace civitas;
using async::BatchCounter;

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

}  // namespace

TEST_CASE("each batch is handed out once, whoever takes it") {
    for (const int ranks : {1, 2, 4}) {
        Counted counted(ranks);
        counted.of(0, ranks).open(7, 407);
        std::mutex all;
        std::multiset<std::int64_t> taken;
        std::vector<std::thread> threads;
        for (int rank = 0; rank < ranks; ++rank)
            threads.emplace_back([&, rank] {
                const BatchCounter mine = counted.of(rank, ranks);
                while (const auto batch = mine.take(yield)) {
                    const std::scoped_lock lock(all);
                    taken.insert(batch->number);
                    (void)mine.end(*batch);
                }
            });
        for (std::thread& thread : threads) thread.join();
        CHECK(taken.size() == 400);
        CHECK(std::set(taken.begin(), taken.end()).size() == 400);
        CHECK(*taken.begin() == 7);
        CHECK(*taken.rbegin() == 406);
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
                while (const auto batch = mine.take(yield)) {
                    // The last rank is slow.
                    std::this_thread::sleep_for(
                        std::chrono::microseconds(rank == ranks - 1 ? 300 : 50));
                    most[me] = std::max(most[me], mine.end(*batch));
                    ++steps[me];
                }
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
    const auto first = slow.take(yield);
    std::int64_t taken = 0;
    while (const auto batch = fast.take(yield)) ++taken, (void)fast.end(*batch);
    CHECK(taken == 9);
    CHECK(slow.end(first.value()) == 9);
    CHECK_FALSE(slow.take(yield));
}

TEST_CASE("after a stop nobody gets a batch until the next round") {
    Counted counted(1);
    const BatchCounter counter = counted.of(0, 1);
    counter.open(0, 10);
    const auto batch = counter.take(yield);
    counter.stop();
    CHECK(counter.is_stopped());
    CHECK(counter.end(batch.value()) == 0);
    CHECK_FALSE(counter.take(yield));
    CHECK(counter.next() == 1);
    counter.open(1, 2);
    CHECK(counter.take(yield).value().number == 1);
}
