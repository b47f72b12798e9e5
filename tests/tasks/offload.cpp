#include "support/tensor.hpp"

#include "civitas/tasks/offload.hpp"

// Whether a host has the memory that ranks on GPUs would offload to it.

using namespace civitas;
using namespace civitas::tasks;

TEST_CASE("more than a host has is refused, less is not taken before it is asked for") {
    const auto world = comm::Communicator::world();
    const comm::Mesh mesh(world, MeshShape{{Axis::data, world.size()}});
    Log log(world.rank());
    planner::Configuration c;
    c.layout_options.offload = Offload::host;
    planner::StepPlan plan;
    plan.layout.offload = Offload::host;
    plan.memory.emplace_back().nets.offloaded = 1 << 20;
    CHECK(agree_on_offload(mesh, c, plan, log) != nullptr);
    plan.memory[0].nets.offloaded = std::int64_t{1} << 58;
    CHECK_THROWS_WITH(
        agree_on_offload(mesh, c, plan, log),
        Catch::Contains("the ranks of a node would offload ") &&
            Catch::Contains(" to host memory, it has ") &&
            Catch::Contains("Hint: --offload disk, --shard parameters, or fewer ranks a node"));
}
