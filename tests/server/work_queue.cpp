#include "civitas/server/work_queue.hpp"

#include "support/catch.hpp"

#include <algorithm>
#include <set>

using namespace civitas::server;

namespace {

/// The items that are given now, by worker.
std::map<int, WorkItem> given(WorkQueue& queue, double now_s) {
    std::map<int, WorkItem> items;
    for (const auto& g : queue.give(now_s)) items[g.worker] = g.item;
    return items;
}

/// Workers 0 and 1 have a part each of the first of so many steps.
WorkQueue two_at_work(std::int64_t steps) {
    WorkQueue queue({.parts = 2, .max_staleness = 0, .patience_s = 1});
    queue.open(0, steps);
    queue.ask(0);
    queue.ask(1);
    CHECK(given(queue, 0).size() == 2);
    return queue;
}

}  // namespace

TEST_CASE("In step, no part of the next step is given before the update of this one") {
    WorkQueue queue({.parts = 2, .max_staleness = 0});
    queue.open(5, 7);
    for (const int worker : {0, 1, 2}) queue.ask(worker);
    CHECK(given(queue, 0) == std::map<int, WorkItem>{{0, {5, 0}}, {1, {5, 1}}});
    CHECK(queue.end({5, 1}, 1, 0.1));
    CHECK(queue.end({5, 0}, 0, 0.1));
    queue.ask(0);
    CHECK(given(queue, 0.1).empty());
    queue.update(6);
    CHECK(given(queue, 0.2) == std::map<int, WorkItem>{{2, {6, 0}}, {0, {6, 1}}});
    CHECK_FALSE(queue.is_done());
    CHECK(queue.end({6, 0}, 2, 0.3));
    CHECK(queue.end({6, 1}, 0, 0.3));
    CHECK_FALSE(queue.is_done());
    queue.update(7);
    CHECK(queue.is_done());
}

TEST_CASE("With a bound, steps are begun while so many updates are missing, and not more") {
    WorkQueue queue({.parts = 1, .max_staleness = 2});
    queue.open(0, 100);
    for (const int worker : {0, 1, 2, 3}) queue.ask(worker);
    CHECK(given(queue, 0).size() == 3);
    CHECK(queue.end({1, 0}, 1, 0.1));
    queue.ask(1);
    CHECK(given(queue, 0.1).empty());  // step 0 has not been updated
    CHECK(queue.end({0, 0}, 0, 0.2));
    queue.update(2);
    CHECK(given(queue, 0.2) == std::map<int, WorkItem>{{3, {3, 0}}, {1, {4, 0}}});
}

TEST_CASE("What a worker keeps too long is given to one that has nothing to do") {
    WorkQueue queue = two_at_work(2);
    CHECK(queue.end({0, 0}, 0, 0.5));
    queue.ask(0);
    CHECK(given(queue, 2.9).empty());  // an item takes 0.5 s: patience ends at 3 s
    const auto late = queue.give(3.1);
    REQUIRE(late.size() == 1);
    CHECK(late[0].item == WorkItem{0, 1});
    CHECK(late[0].worker == 0);
    CHECK(late[0].instead_of == 1);
    CHECK(queue.end({0, 1}, 0, 3.5));
    CHECK_FALSE(queue.end({0, 1}, 1, 9));  // it comes too late
}

TEST_CASE("Who waits within its item makes what a stopped worker does not") {
    WorkQueue queue = two_at_work(1);
    queue.wait_within({0, 0}, 0);
    CHECK(queue.give(9.9).empty());
    const auto late = queue.give(10.1);
    REQUIRE(late.size() == 1);
    CHECK(late[0].worker == 0);
    CHECK(late[0].item == WorkItem{0, 1});
    CHECK(queue.give(10.2).empty());  // once
}

TEST_CASE("Who has waited within its item, and goes on no more, is late, too") {
    WorkQueue queue = two_at_work(1);
    queue.wait_within({0, 0}, 0);
    queue.wait_within({0, 1}, 1);
    CHECK(queue.give(100).empty());  // what both wait for is not theirs to make
    queue.go_on(0, 100);
    CHECK(queue.end({0, 0}, 0, 100.1));
    queue.ask(0);
    CHECK(given(queue, 101).empty());
    CHECK(given(queue, 102) == std::map<int, WorkItem>{{0, {0, 1}}});
}

TEST_CASE("With fewer workers than parts, who waits for parts that nobody has makes them") {
    WorkQueue queue({.parts = 3, .max_staleness = 0});
    queue.open(0, 1);
    queue.ask(0);
    CHECK(given(queue, 0) == std::map<int, WorkItem>{{0, {0, 0}}});
    for (const std::int64_t part : {0, 1}) {
        queue.wait_within({0, part}, 0);
        CHECK(given(queue, 0) == std::map<int, WorkItem>{{0, {0, part + 1}}});
    }
}

TEST_CASE("A worker gets the part that it had before, if nobody else has") {
    WorkQueue queue = two_at_work(2);
    CHECK(queue.end({0, 0}, 0, 1));
    CHECK(queue.end({0, 1}, 1, 1));
    queue.update(1);
    queue.ask(1);
    CHECK(given(queue, 1) == std::map<int, WorkItem>{{1, {1, 1}}});
}

TEST_CASE("A stopped queue ends what is begun and begins nothing") {
    WorkQueue queue({.parts = 2, .max_staleness = 0});
    queue.open(0, 10);
    queue.ask(0);
    CHECK(given(queue, 0).size() == 1);
    queue.stop();
    CHECK(queue.end({0, 0}, 0, 1));
    queue.ask(0);
    CHECK(given(queue, 1) == std::map<int, WorkItem>{{0, {0, 1}}});
    CHECK(queue.end({0, 1}, 0, 2));
    queue.update(1);
    queue.ask(0);
    CHECK(queue.give(2).empty());
    CHECK(queue.is_done());
}
