#include "civitas/server/worker.hpp"

#include "support/tensor.hpp"

#include <chrono>
#include <thread>

using namespace civitas;
using namespace civitas::server;

TEST_CASE("A worker's time is computing, exchanging, or without an item") {
    const auto sleep = [](int milliseconds) {
        std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    };
    const comm::Communicator alone = comm::Communicator::self();
    Endpoint endpoint(alone);
    int updates = 0;
    Worker worker(endpoint, root, [&] {
        if (updates == 0) return false;
        --updates;
        sleep(40);
        return true;
    });
    const auto spent_on = [&](const std::function<void()>& work) {
        Worker::Spent spent;
        worker.make({}, [&] {
            work();
            spent = worker.spent();
        });
        return spent;
    };
    const auto computing = [](const Worker::Spent& spent) {
        return spent.seconds - spent.exchanging - spent.without_item;
    };
    (void)spent_on([] {});
    sleep(40);
    const auto idle = spent_on([] {});
    CHECK(idle.without_item >= 0.04);
    CHECK(idle.exchanging == 0);
    const auto works = spent_on([&] { sleep(40); });
    CHECK(computing(works) >= 0.04);
    const auto exchanges = spent_on([&] {
        const Worker::Exchange exchange(worker);
        sleep(40);
    });
    CHECK(exchanges.exchanging >= 0.04);
    // Updates are computing, whenever they are made.
    const auto serves = spent_on([&] {
        const Worker::Exchange exchange(worker);
        updates = 1;
        worker.wait([&] { return updates == 0; });
    });
    CHECK(computing(serves) >= 0.04);
    updates = 1;
    worker.serve();
    const auto served = spent_on([] {});
    CHECK(computing(served) >= 0.04);
    CHECK(served.without_item >= 0);
}

TEST_CASE("What a worker makes while it waits within an item is no exchange of that item") {
    const auto sleep = [](int milliseconds) {
        std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    };
    const comm::Communicator alone = comm::Communicator::self();
    Endpoint endpoint(alone);
    Worker worker(endpoint, root, [] { return false; });
    std::vector<Worker::Spent> told;
    worker.make_others_by([&](WorkItem other) {
        worker.make(other, [&] {
            sleep(20);
            told.push_back(worker.spent());
        });
    });
    endpoint.listen(root, MessageKind::take);
    worker.make({.step = 3}, [&] {
        {
            const Worker::Exchange exchange(worker);
            sleep(40);
            endpoint.send(root, MessageKind::order,
                          to_message({.what = Order::What::item, .item = {.step = 3, .part = 1}}));
            worker.wait([&] { return !told.empty(); });
        }
        told.push_back(worker.spent());
    });
    REQUIRE(told.size() == 2);
    CHECK(told[0].exchanging >= 0.04);  // before it began
    for (const Worker::Spent& spent : told)
        CHECK(spent.exchanging + spent.without_item <= spent.seconds);
}
