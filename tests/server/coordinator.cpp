#include "support/tensor.hpp"

#include "civitas/server/coordinator.hpp"

#include <array>

using namespace civitas;
using namespace civitas::server;

TEST_CASE("The root knows who does not answer to the end of a job") {
    const comm::Communicator world = comm::Communicator::world();
    Endpoint endpoint(world);
    const ServerRoles roles(world.size(), 0);
    if (world.is_root()) {
        Coordinator coordinator(endpoint, roles, {}, 1, [](const auto& /*given*/) {});
        world.barrier();
        const auto silent = coordinator.end({.what = Order::What::end}, 0.2);
        CHECK((silent == std::vector{Rank{2}}));
        world.barrier();
    } else {
        Worker worker(endpoint, world.rank(), [] { return false; });
        world.barrier();
        const Order order = worker.wait_for_order();
        CHECK(order.what == Order::What::end);
        if (world.rank() == Rank{1}) worker.leave();
        world.barrier();
    }
}

TEST_CASE("A step ends when its last part comes, not when somebody asks") {
    const comm::Communicator world = comm::Communicator::world();
    Endpoint endpoint(world);
    const ServerRoles roles(world.size(), 1);
    if (world.is_root()) {
        Coordinator coordinator(endpoint, roles, {.parts = 2, .max_staleness = 3}, 1,
                                [](const auto& /*given*/) {});
        world.barrier();
        const Stopwatch since_begin;
        coordinator.open(0, 3);
        int ended = 0;
        for (double seconds = 0; ended < 3;) {
            for (const Stopwatch watch; watch.seconds() < 0.1; endpoint.progress())
                coordinator.poll();
            const double gone_by = since_begin.seconds(), by_the_clock = seconds_since_1970();
            for (const EndedStep& step : coordinator.ended_steps()) {
                CHECK(step.step == ended++);
                CHECK(step.parts.size() == 2);
                CHECK(step.time <= by_the_clock);
                CHECK((seconds += step.seconds) <= gone_by);
            }
        }
        CHECK(coordinator.end({.what = Order::What::end}, 30).empty());
    } else {
        Worker worker(endpoint, world.rank(), [] { return false; });
        world.barrier();
        for (Order order = worker.next(); order.what == Order::What::item; order = worker.next())
            worker.tell(order.item, {}, std::array{1.0});
        worker.leave();
    }
    world.barrier();
}

TEST_CASE("An error of any rank is thrown on the root, and ends the others") {
    const comm::Communicator world = comm::Communicator::world();
    Endpoint endpoint(world);
    const ServerRoles roles(world.size(), 2);  // the last one works
    if (world.is_root()) {
        Coordinator coordinator(endpoint, roles, {}, 1, [](const auto& /*given*/) {});
        world.barrier();
        const auto hear = [&] {
            for (;;) {
                endpoint.progress();
                coordinator.poll();
            }
        };
        CHECK_THROWS_WITH(hear(), Catch::Equals("rank 1: no memory here"));
        CHECK(coordinator.end({.what = Order::What::fail}, 30).empty());
    } else {
        bool serves = true;
        Worker worker(endpoint, world.rank(), [&] {
            REQUIRE(serves);
            return false;
        });
        world.barrier();
        serves = world.rank() != Rank{1};  // what has failed is not asked again
        if (world.rank() == Rank{1})
            CHECK_THROWS_AS(worker.fail("no memory here"), Dismissed);
        else
            CHECK_THROWS_AS(worker.next(), Dismissed);
        worker.leave();
    }
    world.barrier();
}
