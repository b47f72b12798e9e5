// Whole runs whose tensors all travel by NCCL: one pretended on the CPU, where every group waits
// until both ends of its messages have come.
#include "comm/nccl.hpp"

#include "bits.hpp"

using namespace civitas;
using namespace civitas::tasks;
using namespace civitas::tasks::runs;

TEST_CASE("runs by NCCL have the bits of runs by MPI, on every axis and several at once") {
    const torch::NoGradGuard quiet;
    const auto world = comm::Communicator::world();
    const std::vector<std::string> two{"data=2", "pipe=2", "tensor=2"};
    const std::vector<std::string> four{"data=2,pipe=2", "data=2,tensor=2", "pipe=2,tensor=2",
                                        "pipe=4"};
    for (const std::string& mesh : world.size() == 2 ? two : four)
        for (const char* schedule : {"1f1b", "gan"}) {
            planner::Configuration c = small_run();
            c.problem.batch = 8 * micro;
            c.problem.precision = net::Precision::fp32;
            c.layout_options.mesh = MeshRequest(mesh);
            c.layout_options.weight_copies = WeightCopies::rank;
            c.layout_options.schedule = planner::schedule_named(schedule);
            c.layout_options.redraw = mesh == "pipe=4";
            const auto by_mpi = run_ours(world, c, 2);
            const auto by_nccl = run_ours(world, c, 2, {}, comm::nccl_links(world, at::kCPU));
            INFO(mesh << ' ' << schedule);
            CHECK(by_nccl->mesh.backend().name() == "NCCL 2.0.0");
            CHECK(difference(bits_of(world, *by_nccl), bits_of(world, *by_mpi)) == "");
        }
}
