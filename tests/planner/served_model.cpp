#include "civitas/planner/served_model.hpp"

#include "planner/small_gan.hpp"

#include <catch2/catch.hpp>

using namespace civitas;
using namespace civitas::test;
using namespace civitas::planner;

namespace {

/// 256 weights of rows of 32, then two times 8 that are padded to 64: 384 elements, 1536 bytes.
const net::NetDescription small{
    "net",
    {2, 4, 4},
    {{"c", net::Convolution{{2, 8, 4, 2, 1}}}, {"n", net::BatchNorm{8}}, {"a", net::LeakyRelu{}}}};
/// Statistics of a part: 2 passes of 3 micro-batches, mean and variance of 8 channels: 384 bytes.
const ServedNet net_of_two_passes{.description = small,
                                  .leaves = {.per_pass = 3, .passes = 2},
                                  .kept = {.moments = 2, .mean = true},
                                  .values = {},
                                  .awaited = true};
const NetMemory alone{
    .parameters = 1536, .gradients = 100, .moments = 3072, .mean = 1536, .masters = 1536};

ServedModel rank_of(const ServerRoles& roles, int rank) {
    return {.roles = roles, .me = Rank{rank}, .parts = 2, .waits_within = true};
}

Configuration served_gan(int ranks, int servers, int rank) {
    Configuration c = small_gan("bf16");
    c.update = {.kind = UpdateKind::server,
                .max_staleness = 0,
                .servers = servers,
                .ranks = ranks,
                .rank = rank};
    return c;
}

StepPlan plan_of_part(const Configuration& c) {
    return make_plan(CostModel(workload_of(c), {}, 1), c.layout_options, {});
}

}  // namespace

TEST_CASE("what two ranks that serve and work keep of a net, by hand") {
    const ServerRoles both(2, 0);
    const NetMemory root = net_memory_of(rank_of(both, 0), net_of_two_passes, alone);
    CHECK(root.parameters == 1536 + 768);
    CHECK(root.moments == 3072 + 2 * 768);
    CHECK(root.mean == 1536 + 768);
    CHECK(root.gradients == 100 + 2 * (2 * 768 + 384));
    CHECK(root.masters == 1536);
    const NetMemory other = net_memory_of(rank_of(both, 1), net_of_two_passes, alone);
    CHECK(other.parameters == 1536 + 768);
    CHECK(other.moments == 2 * 768);
    CHECK(other.mean == 768);
    CHECK(other.gradients == 100 + 2 * 2 * 768);
    ServedModel stale = rank_of(both, 1);
    stale.max_staleness = 9;  // of the step behind, too
    CHECK(net_memory_of(stale, net_of_two_passes, alone).gradients == 100 + 2 * 2 * 2 * 768);
}

TEST_CASE("messages that two ranks that serve and work stand ready for and make, by hand") {
    const ServedModel root = rank_of({2, 0}, 0), other = rank_of({2, 0}, 1);
    // Weights of all; of the root the state of all; what is loaded; gradients of two workers.
    CHECK(expected_bytes(root, net_of_two_passes) ==
          1536 + 4 * 1536 + 4 * 768 + 2 * (2 * 768 + 384));
    CHECK(expected_bytes(other, net_of_two_passes) == 1536 + 4 * 768 + 2 * 2 * 768);
    CHECK(passing_bytes(other, net_of_two_passes) == 4 * 768 + 2 * 1536 + 384);
    CHECK(published_bytes(root, net_of_two_passes) == 4 * 1536);
    CHECK(published_bytes(other, net_of_two_passes) == 0);
    CHECK(traffic_of(root, net_of_two_passes).gradients == 2 * 768);
    CHECK(traffic_of(other, net_of_two_passes).gradients == 2 * 768 + 384);
    CHECK(traffic_of(other, net_of_two_passes).weights == 768);
    ServedModel stale = other;
    stale.max_staleness = 1;  // weights are got before a part and within it
    CHECK(traffic_of(stale, net_of_two_passes).weights == 2 * 768);
    ServedNet last = net_of_two_passes;
    last.awaited = false;
    CHECK(traffic_of(stale, last).weights == 768);
    CHECK(traffic_of(other, last).weights == 768);
    ServedModel quicker = other;
    ServedModel slow = other;
    slow.parts = 1;  // which another rank may make
    CHECK(traffic_of(slow, net_of_two_passes).weights == 768);
    quicker.parts = 6;  // three of a worker, of one of whose weights others have got a copy
    CHECK(traffic_of(quicker, last).weights == 768);
    CHECK(traffic_of(quicker, net_of_two_passes).weights == 3 * 768);
    CHECK(traffic_of(quicker, last).gradients == 3 * (2 * 768 + 384));
}

TEST_CASE("a server that does not work and two workers, by hand") {
    const ServedModel server = rank_of({3, 1}, 0), worker = rank_of({3, 1}, 1);
    CHECK(net_memory_of(server, net_of_two_passes, alone).sum() ==
          2 * 1536 + 2 * (2 * 1536 + 384) + 2 * 3072 + 2 * 1536);
    CHECK(net_memory_of(worker, net_of_two_passes, alone).sum() == 1536 + 100);
    CHECK(expected_bytes(worker, net_of_two_passes) == 1536);
    CHECK(expected_bytes(server, net_of_two_passes) ==
          1536 + 4 * 1536 + 4 * 1536 + 2 * (2 * 1536 + 384));
    CHECK(passing_bytes(server, net_of_two_passes) == 4 * 1536);
    CHECK(passing_bytes(worker, net_of_two_passes) == 2 * 1536 + 384);
    CHECK(traffic_of(server, net_of_two_passes).gradients == 0);
    CHECK(traffic_of(server, net_of_two_passes).weights == 2 * 1536);
    CHECK(traffic_of(worker, net_of_two_passes).gradients == 2 * 1536 + 384);
    CHECK(traffic_of(worker, net_of_two_passes).weights == 0);
}

TEST_CASE("a worker has as many parts begun as it makes where each waits for all others") {
    ServedModel worker = rank_of({3, 1}, 1);
    CHECK(worker.parts_at_once() == 1);
    worker.parts = 5;
    CHECK(worker.parts_at_once() == 3);
    worker.waits_within = false;
    CHECK(worker.parts_at_once() == 1);
    worker.me = Rank{0};
    CHECK(worker.parts_at_once() == 0);
}

TEST_CASE("a rank among servers plans one part of a step, and a server that does not work none") {
    const Workload workload = workload_of(served_gan(4, 1, 3));
    CHECK(workload.batch == 4);  // of 16 tiles in 8 micro-batches, for three workers
    CHECK(workload.served_model->parts == 4);
    const RankMemory sync = plan_of(small_gan("bf16"), {}).memory.at(0);
    const RankMemory server = plan_of_part(served_gan(4, 1, 0)).memory.at(0);
    const StepPlan two_parts = plan_of_part(served_gan(4, 1, 3));
    const StepPlan one_part = plan_of_part(served_gan(5, 1, 3));
    CHECK((server.activations == 0 && server.loader == 0));
    CHECK(two_parts.memory.at(0).activations == 2 * one_part.memory.at(0).activations);
    CHECK(one_part.memory.at(0).activations < sync.activations);
    CHECK(server.nets.parameters > sync.nets.parameters);
    std::int64_t published = 0;
    for (const schedule::NetId net : workload.graph.net_ids())
        published += published_bytes(*workload_of(served_gan(4, 1, 0)).served_model,
                                     workload.served_net(two_parts.layout, net));
    CHECK((server.messages > 0 && server.scratch == published));
    const ServedTraffic most = workload.most_traffic(two_parts.layout);
    CHECK(two_parts.reduced_bytes == std::vector{most.sum()});
    CHECK(in_words(ServedTraffic{12'340'000, 700'000}) ==
          "in a step a worker sends other ranks at most 12.3 MB of gradients, and a server 0.7 MB "
          "of weights");
}
