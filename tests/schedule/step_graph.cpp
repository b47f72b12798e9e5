#include "civitas/schedule/step_graph.hpp"

#include "civitas/schedule/gan.hpp"
#include "civitas/schedule/message_order.hpp"
#include "civitas/schedule/simulator.hpp"
#include "civitas/schedule/traffic.hpp"
#include "schedule/tables.hpp"

using namespace civitas;
using namespace civitas::schedule;
using namespace civitas::test;
using Catch::Contains;

namespace {

StepGraph classifier() { return {.nets = {"C"}, .passes = {{.name = "train", .net = NetId{0}}}}; }

}  // namespace

TEST_CASE("a graph answers who takes outputs, who gives gradients, and who is updated first") {
    const StepGraph graph = gan::graph();
    CHECK(graph.first_consumer(gan::generate) == gan::fake);
    CHECK(graph.last_consumer(gan::generate) == gan::d_generate);
    CHECK(graph.gradient_to(gan::d_generate) == gan::generate);
    CHECK_FALSE(graph.gradient_to(gan::fake).has_value());
    CHECK(graph.trained_by(gan::discriminator) == std::vector{gan::real, gan::fake});
    CHECK(graph.update_order() == std::vector{gan::discriminator, gan::generator});
    CHECK(graph.is_redrawable(gan::generate));
    CHECK_FALSE(graph.is_redrawable(gan::real));
    CHECK(graph.ends_in_loss(gan::d_generate));
    CHECK_FALSE(graph.ends_in_loss(gan::generate));
}

TEST_CASE("the tables of a net with one pass are the published pipelines and an update") {
    for (const std::string& name : schedule_names)
        for (const int coordinates : {1, 2, 4}) {
            ScheduleShape shape = shape_of(name, coordinates, 8);
            shape.graph = classifier();
            CAPTURE(name, coordinates);
            const Schedule table = make_schedule(name, shape);
            CHECK_NOTHROW(check_schedule(table, shape));
            CHECK(parse_schedule(shape.graph, to_string(table)) == table);
            Schedule published = single_pass(name, shape, PassId{0});
            for (auto& actions : published.coordinates)
                for (const Kind kind : {Kind::reduce, Kind::step})
                    actions.push_back({.net = NetId{0}, .kind = kind});
            CHECK(table == published);
            shape.graph = gan::graph();
            Schedule discriminator = single_pass(name, shape, gan::real);
            CHECK(simulate(table, unit_costs(table.graph, shape)).makespan_s ==
                  simulate(discriminator, unit_costs(shape.graph, shape)).makespan_s);
        }
}

TEST_CASE("a table of a net with one pass, by hand") {
    const ScheduleShape shape{.graph = classifier(), .coordinates = 2, .micro_batches = 2};
    const Schedule table = make_schedule("1f1b", shape);
    CHECK(to_string(table) ==
          "schedule 1f1b\n"
          "C0.train.F0 C0.train.F1 C0.train.BW0 C0.train.BW1 C.reduce C.step\n"
          "C1.train.F0 C1.train.BW0 C1.train.F1 C1.train.BW1 C.reduce C.step\n");
    const Costs costs = unit_costs(table.graph, shape);
    const auto cuts = cut_traffic(table, costs);
    REQUIRE(cuts.size() == 1);
    CHECK(cuts[0].messages == 4);  // two micro-batches there, two gradients back
    CHECK(message_order(table, 2, 2)[0].messages.size() == 4);
    CHECK(memory_peak(table, 0, costs).kept == KeptPeak{2});
    CHECK(memory_peak(table, 1, costs).kept == KeptPeak{1});
}

TEST_CASE("names of another graph are no actions of this one") {
    const auto refused = [](const std::string& word, const std::string& message) {
        CHECK_THROWS_WITH(parse_schedule(classifier(), "schedule x\n" + word), Contains(message));
    };
    refused("D0.real.F0", "not an action: 'D0.real.F0'");
    refused("C0.real.F0", "not an action: 'C0.real.F0'");
    refused("G.step", "not an action: 'G.step'");
    CHECK_NOTHROW(parse_schedule(classifier(), "schedule x\nC0.train.F0"));
}
