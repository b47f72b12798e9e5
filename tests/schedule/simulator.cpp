#include "civitas/schedule/simulator.hpp"

#include "schedule/tables.hpp"

using namespace civitas;
using namespace civitas::schedule;
using namespace civitas::test;

namespace {

/// Two stages that differ in everything.
Costs uneven_costs() {
    const StageCosts first{.forward_s = 2,
                           .backward_input_s = 3,
                           .backward_weights_s = 4,
                           .reduce_s = 0.5,
                           .step_s = 0.25,
                           .saved_bytes = 1000,
                           .bytes_from_B_to_W = 300,
                           .input_bytes = 40,
                           .output_bytes = 10,
                           .saves_input = true};
    StageCosts second = first;
    second.forward_s = 1;
    second.input_bytes = 10;
    second.output_bytes = 40;
    return {.nets = {{first, second}, {first, second}}, .latency_s = 1, .bytes_per_second = 10};
}

Span span_of(const Simulation& run, const std::string& word) {
    for (const Span& span : run.spans)
        if (to_string(gan::graph(), span.action) == word) return span;
    FAIL(word << " did not run");
    return {};
}

std::int64_t peak_bytes(const std::string& table) {
    return memory_peak(parse_schedule(gan::graph(), "schedule x\n" + table), PipeCoordinate{0},
                       uneven_costs())
        .bytes;
}

}  // namespace

TEST_CASE("a message takes latency and bytes over bandwidth, between coordinates only") {
    const auto run = simulate(
        parse_schedule(gan::graph(),
                       "schedule x\nD0.real.F0 D0.real.BW0\nD1.real.F0 D1.real.B0 D1.real.W0\n"),
        uneven_costs());
    const auto check = [&](const std::string& word, double begin, double end) {
        const auto span = span_of(run, word);
        CHECK(span.begin_s == Approx(begin));
        CHECK(span.end_s == Approx(end));
    };
    check("D0.real.F0", 0, 2);
    check("D1.real.F0", 2 + 1 + 1, 5);  // 10 bytes at 10 bytes a second, after 1 s of latency
    check("D1.real.B0", 5, 8);
    check("D1.real.W0", 8, 12);
    check("D0.real.BW0", 8 + 1 + 1, 17);
    CHECK(run.makespan_s == Approx(17));
    CHECK(run.coordinates[0].busy_s == Approx(9));
    CHECK(run.coordinates[1].idle_s == Approx(17 - 8));
    CHECK(run.idle_s() == Approx(8 + 9));
    CHECK(run.bubble() == Approx(17.0 / 34));
    const auto together = simulate(
        parse_schedule(gan::graph(), "schedule x\nD0.real.F0 D1.real.F0 D1.real.BW0 D0.real.BW0"),
        uneven_costs());
    CHECK(together.makespan_s == Approx(2 + 1 + 7 + 7));
    CHECK(together.idle_s() == Approx(0));
}

TEST_CASE("one simulator tells under each of several costs what those alone do") {
    const ScheduleShape shape{.graph = gan::graph(), .coordinates = 2, .micro_batches = 3};
    for (const char* name : {"1f1b", "zero-bubble", "gan"}) {
        const Schedule table = make_schedule(name, shape);
        const Simulator simulator(table, shape.stage_counts());
        for (const Costs& costs :
             {uneven_costs(), unit_costs(shape.graph, shape), uneven_costs()}) {
            const Simulation run = simulator.simulate(costs), alone = simulate(table, costs);
            CHECK(run.makespan_s == alone.makespan_s);
            CHECK(run.makespan_s == simulator.makespan(costs));
            REQUIRE(run.spans.size() == alone.spans.size());
            for (std::size_t i = 0; i < run.spans.size(); ++i) {
                const Span &span = run.spans[i], &other = alone.spans[i];
                CHECK((span.coordinate == other.coordinate && span.action == other.action));
                CHECK((span.begin_s == other.begin_s && span.end_s == other.end_s));
            }
        }
    }
}

TEST_CASE("a whole step on paper: updates wait, and spans follow each other") {
    const ScheduleShape shape{
        .graph = gan::graph(), .coordinates = 2, .micro_batches = 2, .recompute = true};
    const auto run = simulate(make_schedule("1f1b", shape), uneven_costs());
    const auto reduce = span_of(run, "D.reduce");
    CHECK(reduce.end_s - reduce.begin_s == Approx(0.5));
    CHECK(span_of(run, "D.step").end_s - reduce.end_s == Approx(0.25));
    CHECK(span_of(run, "D0.generate.F0").begin_s >= span_of(run, "D.step").end_s);
    const auto recompute = span_of(run, "G0.generate.recompute1");
    CHECK(recompute.end_s - recompute.begin_s == Approx(2));
    std::vector<double> free(2);
    for (std::size_t i = 0; i < run.spans.size(); ++i) {
        const Span& span = run.spans[i];
        auto& from = free[static_cast<std::size_t>(span.coordinate)];
        CHECK(span.begin_s >= from);
        from = span.end_s;
        if (i > 0) CHECK(run.spans[i - 1].begin_s <= span.begin_s);
    }
    CHECK(run.makespan_s == std::max(free[0], free[1]));
}

TEST_CASE("bytes that live at once, counted by hand") {
    CHECK(peak_bytes("D0.real.F0 D0.real.B0 D0.real.W0") == 1000);
    CHECK(peak_bytes("D0.real.F0 D0.real.B0 D0.real.F1") == 300 + 1000);
    CHECK(peak_bytes("D0.real.F0 D0.real.B0 D0.real.W0 D0.real.F1") == 1000);
    CHECK(peak_bytes("D0.real.F0 D0.real.BW0 D0.real.F1") == 1000);
    // A gradient that passes through D ends its visit with B. That of the logits (40) waits for it.
    CHECK(peak_bytes("D1.generate.F0 D1.generate.B0 D1.generate.F1") == 1000 + 40);
    // Recompute: the input (40) is kept, and becomes part of the saved when F runs again.
    CHECK(peak_bytes("D0.real.F0 D0.real.F1 D0.real.recompute0 D0.real.BW0 D0.real.recompute1") ==
          1000 + 40);
    CHECK(peak_bytes("D0.real.F0 D0.real.F1 D0.real.F2 D0.real.recompute0 D0.real.recompute1 "
                     "D0.real.recompute2") == 3 * 1000);
    // Redraw: nothing is kept; with recompute the input from redraw on.
    CHECK(peak_bytes("G0.generate.F0 G0.generate.F1 G0.generate.redraw0 G0.generate.redraw1") ==
          2 * 1000);
    CHECK(peak_bytes("G0.generate.F0 G0.generate.F1 G0.generate.redraw0 G0.generate.recompute0 "
                     "G0.generate.BW0 G0.generate.redraw1") == 1000);
    CHECK(peak_bytes("G0.generate.F0 G0.generate.F1 G0.generate.redraw0 G0.generate.redraw1 "
                     "G0.generate.recompute0 G0.generate.BW0 G0.generate.recompute1") == 1000 + 40);
}

TEST_CASE("fakes are kept where D begins, from their making or arrival to D's last look") {
    // Drawn elsewhere: two fakes of 40 from D's first look on.
    const std::string looks = "D0.fake.F0 D0.fake.BW0 D0.fake.F1 D0.fake.BW1 ";
    CHECK(peak_bytes(looks) == 1000 + 2 * 40);
    CHECK(peak_bytes(looks + "D0.generate.F0 D0.generate.F1") == 2 * 1000);
    // Drawn here: they live as soon as G has drawn them, apart from what G saves.
    CHECK(peak_bytes("G1.generate.F0 G1.generate.F1 D0.fake.F0") == 3 * 1000 + 2 * 40);
}

TEST_CASE("what several keep takes memory once") {
    Costs costs = uneven_costs();
    const auto peak = [&](const std::string& table) {
        return memory_peak(parse_schedule(gan::graph(), "schedule x\n" + table), PipeCoordinate{0},
                           costs)
            .bytes;
    };
    const std::string drawn = "G1.generate.F0 G1.generate.F1 D0.fake.F0";
    costs.nets[0][1].saves_output = true;  // a fake of 40, which G's last layer keeps
    CHECK(peak(drawn) == 3 * 1000);
    CHECK(peak("G1.generate.F0 D0.fake.F0 D0.fake.BW0 G1.generate.redraw0") == 1000 + 40);
    // Two stages of a net here: what the first gives (10) is what the second takes.
    CHECK(peak("D0.real.F0 D1.real.F0") == 2 * 1000 + 40);  // and 40 of the logits' gradient
    costs.nets[1][0].saves_output = true;
    CHECK(peak("D0.real.F0 D1.real.F0") == 2 * 1000 - 10 + 40);
    // After B of the second: what its W needs, and the gradient (10) that the first will take.
    const std::string on = "D0.real.F0 D1.real.F0 D1.real.B0 D0.real.F1";
    CHECK(peak(on) == 2 * 1000 + 300 + 10);
    costs.nets[1][1].holds_input = true;
    CHECK(peak(on) == 2 * 1000 + 300);
}

TEST_CASE("activations that live at once are counted by visit") {
    const auto peak = [](const std::string& name, bool recompute) {
        ScheduleShape shape = shape_of(name, 2, 4);
        shape.recompute = recompute;
        return memory_peak(make_schedule(name, shape), PipeCoordinate{0},
                           unit_costs(gan::graph(), shape))
            .kept;
    };
    CHECK(peak("naive", false) == KeptPeak{4, 1});
    CHECK(peak("gpipe", false) == KeptPeak{4, 4});
    CHECK(peak("zero-bubble", false) == KeptPeak{4, 2});
    CHECK(peak("gan", false) == KeptPeak{4, 2});
    // 3 * 2 * P/2 - 1 of 2 chunks: the published in-flight count of the first coordinate.
    CHECK(peak("interleaved:2", false) == KeptPeak{8, 5});
    CHECK(peak("gpipe", true) == KeptPeak{1, 1});
}
