#include "gan_runs.hpp"
#include "support/agree.hpp"

#include <mpi.h>

// How often all ranks wait for each other in a step, counted where MPI is called.

namespace {

int collectives = 0;

}  // namespace

// These stand before MPI's own, as its profiling interface foresees.

extern "C" int MPI_Allreduce(const void* data, void* result, int count, MPI_Datatype type,
                             MPI_Op op, MPI_Comm comm) {
    ++collectives;
    return PMPI_Allreduce(data, result, count, type, op, comm);
}

extern "C" int MPI_Allgather(const void* data, int count, MPI_Datatype type, void* all, int each,
                             MPI_Datatype type_of_all, MPI_Comm comm) {
    ++collectives;
    return PMPI_Allgather(data, count, type, all, each, type_of_all, comm);
}

extern "C" int MPI_Allgatherv(const void* data, int count, MPI_Datatype type, void* all,
                              const int* counts, const int* begins, MPI_Datatype type_of_all,
                              MPI_Comm comm) {
    ++collectives;
    return PMPI_Allgatherv(data, count, type, all, counts, begins, type_of_all, comm);
}

extern "C" int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    ++collectives;
    return PMPI_Bcast(data, count, type, root, comm);
}

extern "C" int MPI_Barrier(MPI_Comm comm) {
    ++collectives;
    return PMPI_Barrier(comm);
}

using namespace civitas;
using namespace civitas::tasks::runs;

namespace {

/// Of one step: two of them without what sets up the run.
int collectives_of_a_step(const comm::Communicator& world, const planner::Configuration& c) {
    const auto in = [&](int count) {
        const int before = collectives;
        (void)run_ours(world, c, count);
        return collectives - before;
    };
    const int once = in(1);
    return in(2) - once;
}

}  // namespace

// Before each net's sum: whether any rank has failed. After it: whether the sum is finite. And the
// meeting at the end, which brings all else.
TEST_CASE(
    "ranks meet twice for each net and once at the end of a step, however they are laid out") {
    const torch::NoGradGuard quiet;
    const auto world = comm::Communicator::world();
    for (const std::string axis : {"data=", "pipe=", "tensor="}) {
        planner::Configuration c = small_run();
        c.layout_options.mesh = MeshRequest(text(axis, world.size()));
        INFO(c.layout_options.mesh.words());
        CHECK(collectives_of_a_step(world, c) == 2 * 2 + 1);
    }
}
