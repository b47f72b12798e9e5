#include "bits.hpp"
#include "support/agree.hpp"
#include "support/pretended/graph.hpp"

// Passes that are recorded once and replayed, on a CPU: see PretendedGraph.

using namespace civitas;
using namespace civitas::tasks;
using namespace civitas::tasks::runs;

namespace {

constexpr int count = 6;

/// A run whose steps are launched as `launch_of` says of each.
std::unique_ptr<Ours> run_by(const comm::Communicator& ranks, const planner::Configuration& c,
                             int& replays, const LaunchOfStep& launch_of) {
    const auto with_graphs = [&](Ours&, ModelParts& parts) {
        parts.graphs = [&] { return std::make_unique<test::PretendedGraph>(replays); };
    };
    return run_ours(ranks, c, count, with_graphs, nullptr, launch_of);
}

/// The bits of a run with graphs are those without.
void check_same_bits(const comm::Communicator& world, const planner::Configuration& c) {
    const auto expected = lines_of(*run_ours(world, c, count));
    int replays = 0;
    const auto late = run_by(world, c, replays, [](int step) {
        return step < 2 ? parallel::Launch::each : parallel::Launch::graphs;
    });
    CHECK(lines_of(*late) == expected);
    CHECK(replays == 2 * (count - 2));  // of D's part and of G's
    const auto in_turn = run_by(world, c, replays, [](int step) {
        return step % 2 == 0 ? parallel::Launch::graphs : parallel::Launch::each;
    });
    CHECK(lines_of(*in_turn) == expected);
}

}  // namespace

TEST_CASE("steps that are replayed have the bits of those that are launched one by one") {
    const auto world = comm::Communicator::world();
    planner::Configuration c = small_run();
    for (const char* precision : {"fp32", "bf16"}) {
        c.problem.precision = net::parse_precision(precision);
        check_same_bits(world, c);
    }
    c.problem.nets = small_nets({8, 8, 4, 4}, {4, 4, 8, 8}, ConditionKind::cover);
    check_same_bits(world, c);
    c.layout_options.redraw = true;
    check_same_bits(world, c);
}

TEST_CASE("tiles that cannot be read are an error of their own step, also where it is read early") {
    const auto world = comm::Communicator::world();
    const planner::Configuration c = small_run();
    int replays = 0;
    Ours ours(world, c);
    const auto next_real = [&, delivered = std::int64_t{0}]() mutable {
        if (delivered++ == 2 * ours.own.count() + 1 && world.is_root())
            throw std::runtime_error("made to fail");
        return real_tiles(c, 0);
    };
    StepExecutor& run = ours.make_steps(c, next_real, [&](Ours&, ModelParts& parts) {
        parts.graphs = [&] { return std::make_unique<test::PretendedGraph>(replays); };
    });
    for (int s = 0; s < 2; ++s) {
        run.run(StepIndex{s}, nullptr, parallel::Launch::graphs);
        (void)run.task().finish();
    }
    CHECK_THROWS_WITH(run.run(StepIndex{2}, nullptr, parallel::Launch::graphs),
                      Catch::Contains("made to fail"));
}

TEST_CASE(
    "a step that fails while it is recorded leaves nothing that a later one is replayed from") {
    const auto self = comm::Communicator::self();
    const planner::Configuration c = small_run();
    int recorded = 0, replays = 0;
    Ours ours(self, c);
    StepExecutor& run = ours.make_steps(
        c, [&] { return real_tiles(c, 0); },
        [&](Ours&, ModelParts& parts) {
            parts.graphs = [&]() -> std::unique_ptr<gpu::Graph> {
                if (++recorded == 2) throw std::runtime_error("made to fail");
                return std::make_unique<test::PretendedGraph>(replays);
            };
        });
    CHECK_THROWS_WITH(run.run(StepIndex{0}, nullptr, parallel::Launch::graphs),
                      Catch::Contains("made to fail"));
    run.run(StepIndex{0}, nullptr, parallel::Launch::graphs);
    CHECK(run.task().finish().values.size() == 4);
    CHECK(recorded == 4);  // both parts, once more
}
