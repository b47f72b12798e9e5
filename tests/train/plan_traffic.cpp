#include "civitas/planner/step_plan.hpp"
#include "train/served_run.hpp"

#include <mpi.h>

// Bytes of a step by formula against those that MPI was given.

namespace {

struct Sent {
    std::int64_t messages = 0;
    std::int64_t bytes = 0;
    std::int64_t beyond = 0;  ///< of the bytes, to other ranks
};
Sent sent;

}  // namespace

/// Stands before MPI's own, as its profiling interface foresees.
extern "C" int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag,
                         MPI_Comm comm, MPI_Request* request) {
    int bytes = 0, me = 0;
    PMPI_Type_size(type, &bytes);
    PMPI_Comm_rank(comm, &me);
    ++sent.messages;
    sent.bytes += std::int64_t{count} * bytes;
    // Messages between servers and workers begin with an envelope, and many are nothing else.
    if (to != me)
        sent.beyond +=
            std::int64_t{count} * bytes - std::int64_t{sizeof(civitas::server::Envelope)};
    return PMPI_Isend(data, count, type, to, tag, comm, request);
}

using namespace civitas;
using namespace civitas::train;
using namespace civitas::tasks::runs;

namespace {

/// What all ranks send in one step: two of them without what sets up the run.
Sent sent_in_a_step(const comm::Communicator& world, const planner::Configuration& c) {
    const auto sent_in = [&](int count) {
        const Sent before = sent;
        (void)run_ours(world, c, count);
        return Sent{world.sum(sent.messages - before.messages),
                    world.sum(sent.bytes - before.bytes)};
    };
    const Sent once = sent_in(1);
    const Sent twice = sent_in(2);
    return {twice.messages - once.messages, twice.bytes - once.bytes};
}

}  // namespace

TEST_CASE("exchanges of a step by formula are what MPI is given") {
    const torch::NoGradGuard quiet;
    const auto world = comm::Communicator::world();
    planner::Configuration c = small_run();
    c.layout_options.mesh = MeshRequest(text("tensor=", world.size()));
    c.problem.nets = small_nets({8, 12, 8, 4});
    c.problem.micro_batch = 4;  // a logit for every rank, or a message may be empty and is not sent
    for (const char* precision : {"fp32", "bf16"})
        for (const bool again : {false, true}) {
            c.problem.precision = net::parse_precision(precision);
            c.layout_options.redraw = again;
            c.layout_options.recompute = again;
            const planner::CostModel model(planner::workload_of(c.problem, c.hyperparameters), {},
                                           world.size());
            const planner::StepPlan plan = planner::make_plan(
                model, c.layout_options, c.layout_options.mesh.of_ranks(world.size()));
            const auto planned = plan.exchanges.at(0);
            const Sent all = sent_in_a_step(world, c);
            INFO(precision << (again ? " again" : ""));
            CHECK(all.bytes == world.size() * planned.bytes);
            CHECK(all.messages == world.size() * (world.size() - 1) * planned.rounds);
            CHECK(planned.bytes > 0);
        }
}

TEST_CASE("gradients and weights that a rank sends in a step by formula are what MPI is given") {
    const torch::NoGradGuard quiet;
    const auto world = comm::Communicator::world();
    for (const int servers : served::numbers_of_servers(world.size()))
        for (const std::int64_t max_staleness : {0, 1})
            for (const char* precision : {"bf16", "fp64"}) {
                planner::Configuration c = served::run_with(world, servers, max_staleness);
                c.problem.precision = net::parse_precision(precision);
                const auto sent_in = [&](int count) {
                    const std::int64_t before = sent.beyond;
                    (void)served::run_served(world, c, count);
                    return sent.beyond - before;
                };
                const std::int64_t found = sent_in(3) - sent_in(2);
                const planner::Workload workload = planner::workload_of(c);
                planner::ServedTraffic planned;
                const auto layout = agreed(comm::Communicator::self(), c);
                for (const schedule::NetId net : workload.graph.net_ids())
                    planned += planner::traffic_of(*workload.served_model,
                                                   workload.served_net(layout, net));
                CAPTURE(servers, max_staleness, precision, world.rank());
                CHECK(planned.sum() == found);
                CHECK(planned.sum() > 0);
                REQUIRE_ALL(world, planned.sum() == found);
            }
}
