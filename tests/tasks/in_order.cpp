// Runs along the pipe over a transport that moves one message at a time.
#include "bits.hpp"
#include "layouts.hpp"
#include "support/one_at_a_time.hpp"

using namespace civitas;
using namespace civitas::tasks;
using namespace civitas::tasks::runs;

namespace {

std::unique_ptr<Ours> run_over(const comm::Communicator& world, const LayoutCase& layout,
                               const Tamper& tamper) {
    planner::Configuration c = small_run();
    c.problem.batch = 8 * micro;
    return run_ours(world, layout.applied_to(c), 2, tamper);
}

std::unique_ptr<comm::PointToPoint> strict(const Ours& run, double patience_s) {
    return std::make_unique<test::OneAtATime>(run.mesh.group(Axis::pipe), patience_s);
}

}  // namespace

TEST_CASE("one message at a time, in the order of the table, gives the same bits") {
    const torch::NoGradGuard quiet;
    const auto world = comm::Communicator::world();
    const int data = world.size() == 8 ? 2 : 1;
    int ran = 0;
    for (LayoutCase layout : pairwise(all_layouts(8))) {
        layout.data = data;
        layout.pipe = world.size() / data;
        layout.precision = "fp32";
        layout.company = Company::none;
        INFO(layout.name());
        const auto ordinary = run_over(world, layout, {});
        const auto ordered = run_over(
            world, layout, [](Ours& run, ModelParts& parts) { parts.transport = strict(run, 60); });
        CHECK(difference(bits_of(world, *ordered), bits_of(world, *ordinary)) == "");
        CHECK(ordered->steps->transport()->bytes_sent() ==
              ordinary->steps->transport()->bytes_sent());
        if (++ran == 8) break;
    }
    CHECK(ran > 3);
}

TEST_CASE("a transport that needs an order blocks, and says so, when two messages are swapped") {
    const torch::NoGradGuard quiet;
    const auto world = comm::Communicator::world();
    const LayoutCase layout{.pipe = world.size(), .schedule = "gpipe"};
    const auto swap = [&](Ours& run, ModelParts& parts) {
        parts.transport = strict(run, 3);
        auto& messages = run.layout.messages.back().messages;
        std::swap(messages[0], messages[1]);
    };
    CHECK_THROWS_WITH(run_over(world, layout, swap),
                      Catch::Contains("messages wait for each other"));
}
