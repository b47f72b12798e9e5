#include "support/tensor.hpp"

#include "train/agreement.hpp"

#include "civitas/schedule/gan.hpp"
#include "support/shared_folder.hpp"
#include "support/temporary.hpp"
#include "train/start_report.hpp"

#include <algorithm>

using namespace civitas;
using namespace civitas::train;

namespace {

planner::ExecutionLayout laid_out(const comm::Communicator& world,
                                  const planner::Configuration& c) {
    return agree_on_layout(world, c, agree_on_model(world, c));
}

}  // namespace

TEST_CASE("more messages than MPI can tell apart are refused before the table is made") {
    const auto world = comm::Communicator::world();
    if (world.size() == 1) return;
    planner::Configuration c;
    c.problem.nets = planner::Nets({.net = "dcgan-64"});
    c.problem.micro_batch = 1;
    c.problem.batch = std::int64_t{1} << 40;
    c.layout_options.mesh = MeshRequest("pipe=2");
    CHECK_THROWS_WITH(
        laid_out(world, c),
        Catch::StartsWith("1099511627776 micro-batches a rank are too many for a pipe: ") &&
            Catch::Contains("--micro-batch "));
}

TEST_CASE("ranks that have read different files are told so") {
    const auto world = comm::Communicator::world();
    if (world.size() == 1) return;
    const bool last = index(world.rank()) == world.size() - 1;
    planner::Configuration other;
    other.problem.nets = planner::Nets({.net = "dcgan-64"});
    other.resolved = text("micro-batch = ", last ? 8 : 16, '\n');
    CHECK_THROWS_WITH(laid_out(world, other),
                      Catch::StartsWith(text("the configuration must be the same on all ranks: "
                                             "rank ",
                                             world.size() - 1,
                                             " has \"micro-batch = 8\", rank 0 "
                                             "has \"micro-batch = 16\". Hint: ")));
    planner::Configuration own;
    own.problem.nets = planner::Nets({.net = "dcgan-64"});
    const auto table = [](std::int64_t micro_batches) {
        return schedule::make_schedule(
            "naive", {.graph = schedule::gan::graph(), .micro_batches = micro_batches});
    };
    own.layout_options.schedule = table(last ? 1 : 2);
    CHECK_THROWS_WITH(laid_out(world, own),
                      Catch::Contains("the configuration must be the same on all ranks"));
}

TEST_CASE("what no rank has memory for is refused on all ranks before anything is made") {
    const auto world = comm::Communicator::world();
    planner::Configuration c;
    c.problem.nets = planner::Nets({.net = "dcgan-64"});
    c.problem.micro_batch = 1'000'000'000;
    c.problem.batch = world.size() * c.problem.micro_batch;
    const auto refused = [&] {
        const planner::CostModel model = agree_on_model(world, c);
        const planner::ExecutionLayout layout = agree_on_layout(world, c, model);
        CHECK_THROWS_WITH(agree_on_estimate(world, c.layout_options, model, layout.mesh),
                          Catch::StartsWith("a rank needs ") &&
                              Catch::Contains(" MB: weights, moments and sums ") &&
                              Catch::Contains("; it has ") &&
                              Catch::Contains(". Hint: more nodes "));
    };
    refused();
    c.problem.nets = planner::Nets({.net = "dcgan-64", .generator_widths = {60'000, 60'000, 8, 8}});
    c.problem.micro_batch = 2;
    c.problem.batch = 4;
    refused();
}

TEST_CASE("a run that lacks a little memory saves it by itself, and says so") {
    const auto world = comm::Communicator::world();
    const test::SharedFolder folder(world, "agreement");
    planner::Configuration c;
    c.problem.nets = planner::Nets({.net = "dcgan-64"});
    c.problem.batch = 64 * world.size();
    Log log(world.rank());
    log.open(folder.path() / text("log-", index(world.rank())));
    const planner::CostModel ample = agree_on_model(world, c);
    const MeshShape mesh = agree_on_layout(world, c, ample).mesh;
    const auto saves = [](const planner::StepPlan& plan) {
        const auto& actions = plan.layout.schedule.coordinates.front();
        return std::any_of(actions.begin(), actions.end(), [](const schedule::Action& a) {
            return a.kind == schedule::Kind::redraw || a.kind == schedule::Kind::recompute;
        });
    };
    const auto plain = agree_on_plan(world, c.layout_options, ample, mesh, log);
    CHECK_FALSE(saves(plain));

    planner::MachineModel machine = ample.machine();
    machine.memory = static_cast<double>(plain.peak_bytes() - 1) * world.size();
    const planner::CostModel scarce(ample.workload(), machine, ample.nodes(), ample.timings());
    const auto saving = agree_on_plan(world, c.layout_options, scarce, mesh, log);
    CHECK(saves(saving));
    CHECK(saving.peak_bytes() < plain.peak_bytes());
    CHECK_THAT(test::content(folder.path() / text("log-", index(world.rank()))),
               Catch::Contains(" by itself, with which it needs "));
}

TEST_CASE("a data axis that makes bits of its own is told") {
    planner::Configuration c;
    c.problem.micro_batch = 2;
    const auto line = [&](std::int64_t batch, MeshShape mesh) {
        c.problem.batch = batch;
        return bits_line(c, mesh);
    };
    CHECK(line(12, {{Axis::data, 2}}) ==
          "3 micro-batches a data rank are no power of two: the bits of this run belong to 2 data "
          "ranks, with other numbers of them it makes others");
    CHECK_FALSE(line(12, {{Axis::pipe, 2}}));
    CHECK_FALSE(line(12, {{Axis::data, 3}}));
    CHECK_FALSE(line(12, {{Axis::data, 6}}));
    CHECK(line(24, {{Axis::data, 2}, {Axis::pipe, 2}, {Axis::tensor, 2}}));
    c.layout_options.reduction = Reduction::fast;
    CHECK_FALSE(line(12, {{Axis::data, 2}}));
}

TEST_CASE("meshes and schedules that do not fit are refused on all ranks") {
    const auto world = comm::Communicator::world();
    planner::Configuration c;
    c.problem.nets = planner::Nets({.net = "dcgan-64"});
    c.layout_options.mesh = MeshRequest("data=3,pipe=2");
    CHECK_THROWS_WITH(laid_out(world, c), Catch::Contains("needs 6 ranks"));
    c.layout_options.mesh = MeshRequest();
    const auto one =
        schedule::make_schedule("1f1b", {.graph = schedule::gan::graph(), .micro_batches = 1});
    c.layout_options.schedule = schedule::Schedule{
        .name = "mine", .graph = one.graph, .coordinates = {2, one.coordinates.front()}};
    CHECK_THROWS_WITH(laid_out(world, c), Catch::Contains("has 2 lines of actions") &&
                                              Catch::Contains("1 pipe coordinates"));
    c.layout_options.schedule = planner::ScheduleName{};
    c.layout_options.stage_devices = {3, DeviceKind::cpu};
    CHECK_THROWS_WITH(laid_out(world, c),
                      Catch::Contains("--stage-devices cpu,cpu,cpu has 3 devices, mesh data=") &&
                          Catch::Contains("has 1 pipe coordinates. Hint: one for each."));
}
