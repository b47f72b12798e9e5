#include "civitas/schedule/step_graph.hpp"

#include "civitas/schedule/gan.hpp"
#include "civitas/schedule/message_order.hpp"
#include "civitas/schedule/simulator.hpp"
#include "civitas/schedule/traffic.hpp"
#include "schedule/tables.hpp"

#include <set>

using namespace civitas;
using namespace civitas::schedule;
using namespace civitas::test;
using Catch::Contains;

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

TEST_CASE("who takes a result is who names its maker") {
    for_all_tables([](const std::string& name, const ScheduleShape& shape) {
        const StageCounts stages = shape.stage_counts();
        std::set<Action> taken, handed;
        for (const auto& actions : make_schedule(name, shape).coordinates)
            for (const Action& a : actions) {
                if (const auto producer = producer_of_input(shape.graph, a, stages)) {
                    REQUIRE(consumer_of_output(shape.graph, *producer, stages) == output_of(a));
                    taken.insert(*producer);
                }
                if (consumer_of_output(shape.graph, a, stages)) handed.insert(output_of(a));
            }
        REQUIRE(taken == handed);
    });
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
    CHECK(message_order(table, {{2}}, 2)[0].messages.size() == 4);
    CHECK(memory_peak(table, PipeCoordinate{0}, costs).kept == KeptPeak{2});
    CHECK(memory_peak(table, PipeCoordinate{1}, costs).kept == KeptPeak{1});
}

TEST_CASE("nets are updated after those that their gradients come through, whatever their number") {
    // A draws, B changes what it drew, C judges that; gradients go back through C's new weights.
    const auto pass = [](const char* name, int net) {
        return Pass{.name = name, .net = NetId{net}};
    };
    StepGraph graph{.nets = {"A", "B", "C"},
                    .passes = {pass("draw", 0), pass("judge", 2), pass("see", 2), pass("own", 1)}};
    graph.passes[0].gradient_from = PassId{2};
    graph.passes[1].input_from = PassId{0};
    graph.passes[2].input_from = PassId{0};
    graph.passes[2].weights = false;
    graph.passes[2].after_update = NetId{2};
    CHECK_FALSE(graph.flaw());
    CHECK(graph.update_order() == std::vector{NetId{1}, NetId{2}, NetId{0}});
    for (const std::string& name : schedule_names) {
        ScheduleShape shape = shape_of(name, 2, 4);
        shape.graph = graph;
        CAPTURE(name);
        CHECK_NOTHROW(check_schedule(make_schedule(name, shape), shape));
    }
}

TEST_CASE("a third pass that takes the same outputs waits for the second") {
    StepGraph graph = gan::graph();
    graph.passes.insert(graph.passes.begin() + index(gan::d_generate),
                        {.name = "again", .net = gan::discriminator, .input_from = gan::generate});
    graph.passes[1].gradient_from = PassId{4};
    CHECK_FALSE(graph.flaw());
    CHECK(graph.last_consumer(gan::generate) == PassId{4});
    for (const std::string& name : schedule_names)
        for (const int coordinates : {1, 2}) {
            ScheduleShape shape = shape_of(name, coordinates, 4);
            shape.graph = graph;
            CAPTURE(name, coordinates);
            CHECK_NOTHROW(check_schedule(make_schedule(name, shape), shape));
        }
}

TEST_CASE("graphs that no table can be made for say why") {
    const auto flaw = [](auto&& change) {
        StepGraph graph = gan::graph();
        change(graph);
        CHECK_THROWS_WITH(make_schedule("1f1b", {.graph = graph}),
                          "no table can be made of this step: " + graph.flaw().value_or(""));
        return graph.flaw();
    };
    CHECK(flaw([](StepGraph& g) { g.passes[1].weights = false; }) == "G has no pass with weights");
    CHECK(flaw([](StepGraph& g) { g.passes[3].weights = true; }) ==
          "G.generate gets gradients of a pass with weights");
    CHECK(flaw([](StepGraph& g) { g.passes[1].gradient_from = gan::real; }) ==
          "G.generate gets gradients of what did not take its outputs");
    CHECK(flaw([](StepGraph& g) { g.passes[0].input_from = gan::generate; }) ==
          "D.real takes outputs of a later pass");
    CHECK(flaw([](StepGraph& g) {
              g.passes.push_back(
                  {.name = "late", .net = gan::discriminator, .input_from = gan::generate});
          }) == "D.late takes outputs after D.generate, which waits for its update");
    CHECK(flaw([](StepGraph& g) {
              g.passes.push_back(
                  {.name = "more", .net = gan::generator, .input_from = gan::d_generate});
          }) == "G.generate gets gradients of a pass that has no loss");
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
