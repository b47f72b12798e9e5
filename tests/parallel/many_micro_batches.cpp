#include "support/tensor.hpp"

#include "civitas/schedule/gan.hpp"
#include "civitas/schedule/message_order.hpp"
#include "civitas/schedule/simulator.hpp"
#include "parallel/scales.hpp"

// A step of thousands of micro-batches costs as much for each of them as a step of a few.

using namespace civitas;
using namespace civitas::parallel;

namespace {

schedule::Action visit(schedule::NetId net, std::int64_t micro) {
    return {.net = net, .pass = schedule::gan::generate, .micro = LocalMicroBatch{micro}};
}

/// Storages looked at while `holders` of one tensor each come and go.
std::int64_t looks_of(std::int64_t holders) {
    Scales scales;
    for (std::int64_t m = 0; m < holders; ++m)
        scales.put(Role::kept, visit(schedule::gan::generator, m), storages_of(torch::ones({2})));
    for (std::int64_t m = 0; m < holders; ++m)
        scales.drop(Role::kept, visit(schedule::gan::generator, m));
    CHECK(scales.bytes() == 0);
    return scales.looks();
}

}  // namespace

TEST_CASE("what many hold is weighed by looking at what changes") {
    CHECK(looks_of(4000) == 1000 * looks_of(4));
}

TEST_CASE("memory that holders share counts once, as long as one of them keeps it") {
    Scales scales;
    const auto shared = torch::ones({8});
    const auto own = torch::ones({4});
    nn::Stage::Context kept;
    kept.saved.push_back({.tensors = {shared, own}, .statistics = {{own, shared}}});
    kept.gys = {torch::Tensor(), shared};
    nn::KeptByLayers inside;
    inside.saved.push_back({.tensors = {shared, torch::ones({2})}, .statistics = {}});
    kept.saved.push_back({.tensors = {}, .statistics = {}, .inside = {inside}});
    scales.put(Role::kept, visit(schedule::gan::discriminator, 0), storages_of(kept));
    scales.put(Role::here, visit(schedule::gan::generator, 0), storages_of(shared.view({2, 4})));
    CHECK(scales.bytes() == 14 * 4);
    scales.drop(Role::kept, visit(schedule::gan::discriminator, 0));
    CHECK(scales.bytes() == 8 * 4);
    scales.drop(Role::kept, visit(schedule::gan::discriminator, 0));  // there is none
    scales.clear();
    CHECK(scales.bytes() == 0);
    scales.put(Role::here, visit(schedule::gan::generator, 0), {});
    CHECK_THROWS_AS(scales.put(Role::here, visit(schedule::gan::generator, 0), {}), Error);
}

TEST_CASE("tables of 4 000 micro-batches are made, checked, ordered and simulated") {
    for (const char* name : {"1f1b", "gan"}) {
        const schedule::ScheduleShape shape{
            .graph = schedule::gan::graph(), .coordinates = 2, .micro_batches = 4000};
        const auto schedule = schedule::make_schedule(name, shape);
        schedule::check_schedule(schedule, shape);
        const auto costs = schedule::unit_costs(shape.graph, shape);
        CHECK(schedule::simulate(schedule, costs).bubble() < 0.01);
        CHECK(schedule::memory_peak(schedule, PipeCoordinate{0}, costs).kept.at(0) == 4000);
        const auto orders = schedule::message_order(schedule, {{2, 2}}, 4000);
        CHECK(orders[0].messages.size() == orders[1].messages.size());
    }
}

TEST_CASE("more micro-batches than a table can hold are refused before it is made") {
    const schedule::ScheduleShape shape{.graph = schedule::gan::graph(),
                                        .coordinates = 4,
                                        .micro_batches = schedule::most_visits / 4 + 1};
    CHECK_THROWS_WITH(schedule::make_schedule("1f1b", shape),
                      Catch::StartsWith("a step of 125001 micro-batches a rank through 4 stages is "
                                        "more than a table can hold: at most 125000. Hint: "));
    CHECK_THROWS_AS(schedule::make_schedule(
                        "gan", {.graph = schedule::gan::graph(), .micro_batches = 4'000'000}),
                    UsageError);
}
