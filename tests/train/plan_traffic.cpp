#include "civitas/planner/step_plan.hpp"
#include "support/agree.hpp"
#include "tasks/gan_runs.hpp"

#include <mpi.h>

// Bytes of a step by formula against those that MPI was given.

namespace {

struct Sent {
    std::int64_t messages = 0;
    std::int64_t bytes = 0;
};
Sent sent;

}  // namespace

/// Stands before MPI's own, as its profiling interface foresees.
extern "C" int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag,
                         MPI_Comm comm, MPI_Request* request) {
    int bytes = 0;
    PMPI_Type_size(type, &bytes);
    ++sent.messages;
    sent.bytes += std::int64_t{count} * bytes;
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
