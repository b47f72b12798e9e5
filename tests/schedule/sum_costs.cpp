// Seconds of sums over replicas that go on behind the backward pass, on paper.
#include "civitas/schedule/simulator.hpp"
#include "schedule/split_tables.hpp"

using namespace civitas;
using namespace civitas::schedule;
using namespace civitas::test;

namespace {

/// One stage whose F, B and W take 1 s each, and whose reduce takes a tenth of one. Its sums take
/// the link some seconds, and so much longer than W.
Costs costs_of(SumCosts sums) {
    Costs costs = unit_costs({{1}});
    costs.nets[0][0].sums = sums;
    costs.nets[0][0].reduce_s = 0.1;
    return costs;
}

Schedule of_one_stage(std::int64_t micro_batches) {
    return make_schedule("1f1b", {.graph = classifier(), .micro_batches = micro_batches});
}

}  // namespace

TEST_CASE("sums of layers begin with the end of their W and follow each other") {
    // The last layer's sum begins first. In W: 1 to 4, 4 to 5, 5 to 6. In BW: 3 to 6, 7 to 8, ...
    const std::vector<LayerWork> layers{{2, 1, 1}, {3, 1, 1}, {2, 1, 3}};
    const SumCosts costs = sum_costs(layers);
    CHECK(costs.seconds == 5);
    CHECK(costs.left_after_W_s == 6 - 3);
    CHECK(costs.left_after_BW_s == 11 - 10);
    // The first layer has no sum of its own: that of the layer behind it ends with its W.
    const SumCosts hidden = sum_costs(std::vector<LayerWork>{{1, 1, 0}, {1, 1, 2}});
    CHECK(hidden.left_after_W_s == 1);
    CHECK(hidden.left_after_BW_s == 0);
    CHECK(sum_costs({}).seconds == 0);
}

TEST_CASE("a reduce waits for what is left of sums, and takes the time of its own") {
    const auto step = [](std::int64_t micro_batches, SumCosts sums, bool leaves) {
        Costs costs = costs_of(sums);
        costs.leaves_summed = leaves;
        const auto run = simulate(of_one_stage(micro_batches), costs);
        CHECK(run.makespan_s == makespan(of_one_stage(micro_batches), costs));
        CHECK(run.coordinates[0].idle_s ==
              Approx(0).margin(1e-12));  // what is waited for is no bubble
        return run.makespan_s;
    };
    CHECK(step(2, {}, false) == Approx(6 + 0.1));
    // Once a pass, whatever the number of micro-batches.
    CHECK(step(2, {.seconds = 5, .left_after_W_s = 4, .left_after_BW_s = 2}, false) ==
          Approx(6 + 2 + 0.1));
    // With every leaf: the first sums end 5 s later than they are alone, the second behind them.
    CHECK(step(2, {.seconds = 5, .left_after_W_s = 4, .left_after_BW_s = 2}, true) ==
          Approx(3 + 2 + 5 + 0.1));
    CHECK(step(2, {.seconds = 1, .left_after_W_s = 1, .left_after_BW_s = 0.5}, true) ==
          Approx(6 + 0.5 + 0.1));
}

TEST_CASE("sums of the passes of a net go on while other passes are computed") {
    // D real F BW, G F, D fake F BW, D.reduce: sums of the real pass have the time of three.
    const Schedule table = make_schedule("1f1b", {.graph = gan::graph()});
    Costs costs = unit_costs({{1, 1}});
    costs.nets[1][0].sums = {.seconds = 4, .left_after_W_s = 4, .left_after_BW_s = 4};
    const auto end_of_reduce = [&](const Costs& of) {
        for (const Span& span : simulate(table, of).spans)
            if (to_string(table.graph, span.action) == "D.reduce") return span.end_s;
        return 0.0;
    };
    CHECK(end_of_reduce(unit_costs({{1, 1}})) == 7);  // without B of D's first layer it is as long
    CHECK(end_of_reduce(costs) == 7 + 4);
    costs.nets[1][0].sums.seconds = 6;
    CHECK(end_of_reduce(costs) == 3 + 4 + 6);
}
