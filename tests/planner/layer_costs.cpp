#include "civitas/planner/layer_costs.hpp"

#include "civitas/net/tensor_split.hpp"
#include "civitas/schedule/actions.hpp"
#include "civitas/schedule/gan.hpp"
#include "civitas/schedule/traffic.hpp"
#include "schedule/tables.hpp"

using namespace civitas;
using namespace civitas::planner;

namespace {

/// Bytes 1 for G's activations, 10 for D's, in every direction.
schedule::Costs counting_costs(int stages) {
    const auto all = [&](std::int64_t bytes) {
        return std::vector<schedule::StageCosts>(static_cast<std::size_t>(stages),
                                                 {.input_bytes = bytes, .output_bytes = bytes});
    };
    return {.nets = {all(1), all(10)}};
}

}  // namespace

TEST_CASE("times by formula: operations over their rate, values over memory's") {
    const net::NetDescription net{"net",
                                  {2, 4, 4},
                                  {{"c", net::Convolution{{2, 8, 4, 2, 1}}},
                                   {"n", net::BatchNorm{8}},
                                   {"a", net::LeakyRelu{}}}};
    const auto times = estimated_times(net, 3, {.compute = 2, .master = 4}, {1000, 500});
    const double operations = 3 * 2 * (8 * 2 * 2) * (2 * 4 * 4);
    const double values = 3 * (2 * 4 * 4 + 8 * 2 * 2) + 8 * 2 * 4 * 4;
    REQUIRE(times.size() == 3);
    CHECK(times[0].forward_s == Approx(operations / 1000 + 2 * values / 500));
    CHECK(times[0].backward_weights_s == Approx(times[0].forward_s));
    CHECK(times[1].backward_weights_s == 0);
    CHECK(times[2].forward_s == Approx(2.0 * 3 * 2 * 32 / 500));
    const auto stage = stage_costs(net, 3, {.compute = 2, .master = 4}, times);
    CHECK(stage.forward_s == Approx(times[0].forward_s + times[1].forward_s + times[2].forward_s));
    CHECK(stage.to_net_input_s == Approx(times[0].backward_input_s));
    CHECK(stage.input_bytes == 3 * 32 * 2);
    CHECK(stage.output_bytes == 3 * 32 * 2);
}

TEST_CASE("B leaves out the gradient of a net's input where nothing wants it") {
    schedule::StageCosts stage{
        .forward_s = 1, .backward_input_s = 4, .backward_weights_s = 2, .to_net_input_s = 3};
    const schedule::Costs costs{.nets = {{stage}, {stage}}};
    const auto run = schedule::simulate(
        schedule::make_schedule("zero-bubble", {.graph = schedule::gan::graph()}), costs);
    const auto seconds = [&](const std::string& word) {
        for (const schedule::Span& span : run.spans)
            if (to_string(schedule::gan::graph(), span.action) == word)
                return span.end_s - span.begin_s;
        return -1.0;
    };
    CHECK(seconds("D0.generate.B0") == Approx(4));
    CHECK(seconds("D0.real.BW0") == Approx(4 - 3 + 2));
    CHECK(seconds("G0.generate.BW0") == Approx(4 - 3 + 2));
}

TEST_CASE("visits of a stage are counted from the table, F again for redraw and recompute") {
    schedule::ScheduleShape shape{
        .graph = schedule::gan::graph(), .coordinates = 2, .micro_batches = 4};
    const auto plain = schedule::make_schedule("1f1b", shape);
    const auto g = schedule::action_counts(plain, schedule::gan::generator, 2);
    CHECK((g.forward == 4 && g.backward_input == 4 && g.backward_weights == 4));
    const auto d = schedule::action_counts(plain, schedule::gan::discriminator, 2);
    CHECK((d.forward == 12 && d.backward_input == 12 && d.backward_weights == 8));
    shape.redraw = true;
    CHECK(schedule::action_counts(schedule::make_schedule("gpipe", shape), schedule::gan::generator,
                                  2)
              .forward > 4);
    shape.recompute = true;
    CHECK(schedule::action_counts(schedule::make_schedule("gpipe", shape),
                                  schedule::gan::discriminator, 2)
              .forward > 12);
}

TEST_CASE("a part of the tensor axis takes its share of what the whole takes, and exchanges") {
    using net::ChannelSplit;
    using net::Placement;
    const net::NetDescription whole{"net",
                                    {4, 4, 4},
                                    {{"c", net::Convolution{{4, 8, 4, 2, 1}}},
                                     {"n", net::BatchNorm{8}},
                                     {"a", net::LeakyRelu{}}}};
    // By output channels: B sums the gradient of the input; whole again behind the convolution.
    const net::TensorSplit cut{2,
                               {{ChannelSplit::output, Placement::replicate, Placement::replicate},
                                {ChannelSplit::whole, Placement::replicate, Placement::replicate},
                                {ChannelSplit::whole, Placement::replicate, Placement::replicate}}};
    const auto part = net::local_net(whole, cut, 0);
    REQUIRE(part.layers.size() == 5);
    const ValueBytes values{.compute = 2, .master = 4};
    const Rates rates{1000, 1e300, {.latency_s = 10, .bytes_per_second = 100}};
    std::vector<LayerTimes> times = estimated_times(whole, 3, values, rates);
    for (LayerTimes& t : times) t = {7 * t.forward_s, 7 * t.backward_input_s, t.backward_weights_s};
    const auto mine = times_of_part(whole, times, part, 3, values, rates);
    CHECK(mine[1].forward_s == Approx(times[0].forward_s / 2));
    CHECK(mine[1].backward_weights_s == Approx(times[0].backward_weights_s / 2));
    CHECK(mine[3].backward_input_s == Approx(times[1].backward_input_s));
    // c.in: nothing in F, a sum of 3 x 4 x 4 x 4 values in B: half of them sent twice.
    const std::int64_t summed = 3 * 64 * 2;
    CHECK(mine[0].forward_s == 0);
    CHECK(mine[0].backward_input_s == Approx(2 * 10 + 0.01 * static_cast<double>(summed)));
    // c.out: 3 x 8 x 2 x 2 values gathered in F, half of them from each; a slice taken in B.
    const std::int64_t gathered = 3 * 32 * 2 / 2;
    CHECK(mine[2].forward_s == Approx(10 + 0.01 * static_cast<double>(gathered)));
    CHECK(mine[2].backward_input_s == 0);
    const auto stage = stage_costs(part, 3, values, mine);
    CHECK((stage.forward_exchanges == schedule::ExchangeTraffic{1, gathered}));
    CHECK((stage.backward_exchanges == schedule::ExchangeTraffic{2, summed}));
    CHECK((stage.to_net_input_exchanges == schedule::ExchangeTraffic{2, summed}));
    CHECK((stage.saves_input && stage.holds_input && stage.saves_output));
    const auto table =
        schedule::make_schedule("1f1b", {.graph = schedule::gan::graph(), .micro_batches = 2});
    const schedule::Costs costs{.nets = {{stage}, {stage}}};
    // F of G and thrice of D; B towards the input only in D's visit in G's update.
    CHECK((schedule::exchange_traffic(table, PipeCoordinate{0}, costs) ==
           schedule::ExchangeTraffic{8 + 4, 8 * gathered + 2 * summed}));
}

TEST_CASE("what crosses a cut, by hand: gpipe of two coordinates and two micro-batches") {
    const schedule::ScheduleShape shape{
        .graph = schedule::gan::graph(), .coordinates = 2, .micro_batches = 2};
    const auto cuts =
        schedule::cut_traffic(schedule::make_schedule("gpipe", shape), counting_costs(2));
    REQUIRE(cuts.size() == 3);
    CHECK((cuts[0].net == schedule::gan::generator && cuts[0].stage == first_stage));
    CHECK((cuts[0].messages == 4 && cuts[0].bytes == 4));  // F and B of two micro-batches
    CHECK((cuts[0].from == PipeCoordinate{0} && cuts[0].to == PipeCoordinate{1}));
    CHECK((cuts[1].net == schedule::gan::generator && cuts[1].stage == StageId{1}));
    CHECK((cuts[1].from == PipeCoordinate{1} && cuts[1].to == PipeCoordinate{0}));
    CHECK((cuts[1].messages == 4 && cuts[1].bytes == 2 * 1 + 2 * 10));
    CHECK((cuts[2].net == schedule::gan::discriminator && cuts[2].messages == 3 * 4));
    CHECK(cuts[2].bytes == 3 * 4 * 10);
    schedule::ScheduleShape reversed = shape;
    reversed.reversed = true;
    CHECK(schedule::cut_traffic(schedule::make_schedule("gpipe", reversed), counting_costs(2))
              .size() == 2);
    CHECK(schedule::cut_traffic(schedule::make_schedule(
                                    "gpipe", {.graph = schedule::gan::graph(), .micro_batches = 2}),
                                counting_costs(1))
              .empty());
    schedule::ScheduleShape redrawn = shape;
    redrawn.redraw = true;
    CHECK(schedule::cut_traffic(schedule::make_schedule("gpipe", redrawn), counting_costs(2))[0]
              .messages == 6);
}

TEST_CASE("messages stand ready for the next eight actions") {
    const auto table =
        schedule::parse_schedule(schedule::gan::graph(),
                                 "schedule x\nG0.generate.F0 G0.generate.F1\n"
                                 "D0.fake.F0 D0.fake.F1 D0.generate.F0 D0.generate.F1\n");
    const schedule::Costs costs{.nets = {{{.output_bytes = 7}}, {{}}}};
    CHECK(schedule::message_bytes(table, PipeCoordinate{1}, costs) == 14);
    CHECK(schedule::message_bytes(table, PipeCoordinate{0}, costs) == 0);
}

TEST_CASE("all slices but the own are sent") {
    CHECK(schedule::scattered_bytes(1000, 1) == 0);
    CHECK(schedule::scattered_bytes(1000, 4) == 750);
}
