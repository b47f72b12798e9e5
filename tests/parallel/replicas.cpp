#include "support/tensor.hpp"

#include "civitas/parallel/replicas.hpp"
#include "civitas/schedule/gan.hpp"
#include "small_step.hpp"

#include <ATen/Parallel.h>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <thread>

// What threads of one rank do together with one task, whatever they compute.

using namespace civitas;
using namespace civitas::optim;
using namespace civitas::parallel;
using namespace civitas::test;

namespace {

constexpr int count = 4;
constexpr std::int64_t of_each = 2;

/// Threads that take part in parallel work.
std::size_t threads_at_work() {
    std::mutex mutex;
    std::set<std::thread::id> seen;
    at::parallel_for(0, 64, 1, [&](std::int64_t /*begin*/, std::int64_t /*end*/) {
        const std::lock_guard lock(mutex);
        seen.insert(std::this_thread::get_id());
    });
    return seen.size();
}

/// Writes down which thread asks for what, and fails where it is told to.
class NotingTask final : public SmallTask {
public:
    at::Tensor input(schedule::PassId pass, LocalMicroBatch micro,
                     const at::Tensor& output) override {
        const std::size_t threads = threads_at_work();
        const std::lock_guard lock(mutex);
        CHECK(at_rest);
        if (pass == schedule::gan::generate) askers[micro] = std::this_thread::get_id();
        threads_of_input.insert(threads);
        if (pass == schedule::gan::d_generate && micro == fails_at) throw Error("made to fail");
        return SmallTask::input(pass, micro, output);
    }
    nn::SampleRange samples(schedule::PassId /*pass*/, LocalMicroBatch micro) override {
        const std::lock_guard lock(mutex);
        sampled.insert(micro);
        return {};
    }
    void record_statistics(const schedule::Action& visit,
                           const std::vector<nn::Statistics>& /*statistics*/) override {
        const std::lock_guard lock(mutex);
        recorded.insert(visit.micro);
    }
    void reduce(schedule::NetId net) override { alone(net); }
    void update(schedule::NetId net) override { alone(net); }

    std::mutex mutex;
    std::map<LocalMicroBatch, std::thread::id> askers;
    std::set<LocalMicroBatch> recorded, sampled;
    std::set<std::size_t> threads_of_input, threads_of_sums;
    std::optional<LocalMicroBatch> fails_at;
    std::optional<schedule::NetId> fails_in;
    int sums_and_updates = 0;
    std::atomic<bool> at_rest = true;  ///< whether nobody reduces or updates

private:
    void alone(schedule::NetId net) {
        if (net == fails_in) throw Error("made to fail in a sum");
        at_rest = false;
        threads_of_sums.insert(threads_at_work());
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        const std::lock_guard lock(mutex);
        ++sums_and_updates;
        at_rest = true;
        CHECK(std::this_thread::get_id() == askers.at(LocalMicroBatch{0}));
    }
};

/// Replicas of nets of one layer without weights.
struct SmallReplicas {
    struct One {
        CountingLayer::Calls g_calls, d_calls;
        nn::Stage g{layers(1000, g_calls)}, d{layers(100, d_calls)};
        LeafSum g_leaves{net::ArenaLayout({}), {{0, 0}}, {of_each, 1}, at::kFloat, at::kCPU};
        LeafSum d_leaves{net::ArenaLayout({}), {{0, 0}}, {of_each, 2}, at::kFloat, at::kCPU};

        static std::vector<std::unique_ptr<nn::Layer>> layers(std::int64_t bytes,
                                                              CountingLayer::Calls& calls) {
            std::vector<std::unique_ptr<nn::Layer>> one;
            one.push_back(std::make_unique<CountingLayer>(bytes, calls));
            return one;
        }
        ReplicaNets nets() {
            return {{{{first_stage, &g, 0}}, &g_leaves}, {{{first_stage, &d, 0}}, &d_leaves}};
        }
    };

    explicit SmallReplicas(int number) : all(static_cast<std::size_t>(number)) {
        std::vector<ReplicaNets> nets;
        for (One& one : all) nets.push_back(one.nets());
        replicas = std::make_unique<Replicas>(
            std::move(nets), task, Pipeline{.graph = schedule::gan::graph()}, number * of_each);
    }
    void run() { replicas->run(table); }

    std::vector<One> all;
    NotingTask task;
    std::vector<schedule::Action> table =
        schedule::make_schedule("1f1b", {.graph = schedule::gan::graph(), .micro_batches = of_each})
            .coordinates[0];
    std::unique_ptr<Replicas> replicas;
};

}  // namespace

TEST_CASE("each replica has its own thread and micro-batches, and the first one reduces alone") {
    SmallReplicas small(count);
    for (int step = 1; step <= 3; ++step) {
        small.run();
        CHECK(small.task.sums_and_updates == 4 * step);
    }
    CHECK(small.task.recorded.size() == count * of_each);
    CHECK((small.task.sampled == small.task.recorded));
    REQUIRE(small.task.askers.size() == count * of_each);
    std::set<std::thread::id> threads;
    for (std::int64_t first = 0; first < count * of_each; first += of_each) {
        const std::thread::id asker = small.task.askers.at(LocalMicroBatch{first});
        threads.insert(asker);
        CHECK(small.task.askers.at(LocalMicroBatch{first + of_each - 1}) == asker);
    }
    CHECK(threads.size() == count);
    CHECK(small.task.askers.at(LocalMicroBatch{0}) == std::this_thread::get_id());
    for (const auto& one : small.all) CHECK((one.g_calls == CountingLayer::Calls{6, 0, 6}));
    SmallReplicas alone(1);
    alone.run();
    CHECK(small.replicas->peak_bytes() == count * alone.replicas->peak_bytes());
}

TEST_CASE("each replica computes with as many threads as its rank had when they were made") {
    const int before = at::get_num_threads();
    for (const int threads : {1, 3}) {
        at::set_num_threads(threads);
        SmallReplicas small(2);
        small.run();
        CHECK(small.task.threads_of_input == std::set{static_cast<std::size_t>(threads)});
        CHECK(small.task.threads_of_sums == std::set{static_cast<std::size_t>(2 * threads)});
        CHECK(at::get_num_threads() == threads);
    }
    at::set_num_threads(before);
}

TEST_CASE("what fails in one replica is thrown when all have come to rest, and a step can follow") {
    SmallReplicas small(count);
    for (const std::int64_t micro : {0, 3, 7}) {
        small.task.fails_at = LocalMicroBatch{micro};
        CHECK_THROWS_WITH(small.run(), "made to fail");
    }
    small.task.fails_at.reset();
    small.task.fails_in = schedule::gan::generator;
    CHECK_THROWS_WITH(small.run(), "made to fail in a sum");
    small.task.fails_in.reset();
    small.task.sums_and_updates = 0;
    small.run();
    CHECK(small.task.sums_and_updates == 4);
}
