#include "civitas/runs/persistence.hpp"
#include "civitas/steps/held_bytes.hpp"
#include "support/agree.hpp"
#include "tasks/gan_runs.hpp"

// What the formulas say every single rank keeps, on nodes with as many ranks and with fewer.

using namespace civitas;
using namespace civitas::steps;
using namespace civitas::train;
using namespace civitas::tasks::runs;

namespace {

planner::Configuration run_of(int ranks) {
    planner::Configuration c = small_run();
    c.run_options.checkpoint_mode = planner::CheckpointMode::async;
    c.problem.precision = net::Precision::bf16;
    c.problem.batch = micro * ranks;
    return c;
}

/// Of what this rank writes of a checkpoint.
std::int64_t written_bytes(const Ours& ours) {
    const Coordinate here = ours.mesh.coordinate();
    const auto local = runs::local_shards(ours.models, here);
    std::int64_t bytes = 0;
    for (const checkpoint::Shard& shard : runs::writing_shards(local, here, ours.layout.mesh))
        if (shard.writes) bytes += static_cast<std::int64_t>(shard.view.nbytes());
    return bytes;
}

void check_rank(const comm::Communicator& world, const planner::Configuration& c) {
    const planner::CostModel model = agree_on_model(world, c);
    const Ours ours(world, c);
    const auto costs = model.costs(ours.layout);
    const planner::RankMemory memory = model.memory(ours.layout, costs, world.rank());
    const PipeCoordinate here = ours.mesh.coordinate().pipe();
    report::HeldBytes counted;
    counted.parameters =
        ours.models.room()
            ? gathered_share(*ours.models.room(), ours.mesh.collectives(Axis::data))
            : schedule::memory_peak(ours.layout.schedule, here, costs).gathered_bytes;
    counted += held_by(ours.models[schedule::gan::generator]);
    counted += held_by(ours.models[schedule::gan::discriminator]);
    const report::HeldBytes planned = in_parts(memory);
    CAPTURE(c.layout_options.mesh.words(), c.layout_options.node_size,
            to_string(c.layout_options.shard), ours.layout.ranks_of_node);
    CHECK(planned.parameters == counted.parameters);
    CHECK(planned.gradients == counted.gradients);
    CHECK(planned.moments == counted.moments);
    CHECK(planned.mean == counted.mean);
    CHECK(planned.offloaded == counted.offloaded);
    CHECK(planned.copy == written_bytes(ours));
    const report::HeldBytes most = in_parts(model.memory(ours.layout, costs, here));
    CHECK(planned.nets() <= most.nets());
    CHECK(planned.copy <= most.copy);
    REQUIRE_ALL(world, planned.nets() == counted.nets());
}

}  // namespace

TEST_CASE(
    "what each rank keeps is by formula what it keeps and writes, however many share its node") {
    const auto world = comm::Communicator::world();
    planner::Configuration c = run_of(world.size());
    for (const std::string mesh : {"pipe=1", "pipe=2", "tensor=2"})
        for (const int node_size : {0, 2, 3}) {
            if (world.size() % (mesh.back() - '0') != 0) continue;
            for (const ShardLevel shard :
                 {ShardLevel::none, ShardLevel::gradients, ShardLevel::parameters}) {
                c.layout_options.mesh = MeshRequest("data=auto," + mesh);
                c.layout_options.node_size = node_size;
                c.layout_options.shard = shard;
                check_rank(world, c);
            }
        }
}
