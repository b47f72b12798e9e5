#include "civitas/net/partition.hpp"
#include "civitas/net/tensor_split.hpp"
#include "civitas/planner/layer_costs.hpp"

#include <catch2/catch.hpp>

// What residual blocks, pools and dropout cost on paper.

using namespace civitas;
using namespace civitas::planner;

namespace {

constexpr ValueBytes values{.compute = 2, .master = 4};

net::Residual projection() {
    return {{{"b.conv1", net::Convolution{{6, 8, 3, 2, 1}}},
             {"b.bn1", net::BatchNorm{8}},
             {"b.relu1", net::LeakyRelu{0}},
             {"b.conv2", net::Convolution{{8, 8, 3, 1, 1}}},
             {"b.bn2", net::BatchNorm{8}}},
            {{"b.downsample.0", net::Convolution{{6, 8, 1, 2, 0}}},
             {"b.downsample.1", net::BatchNorm{8}}}};
}
net::NetDescription net_of_one_block() { return {"net", {6, 7, 5}, {{"b", projection()}}}; }

LayerTimes sum_of(const std::vector<LayerTimes>& times) {
    LayerTimes sum;
    for (const LayerTimes& t : times) sum += t;
    return sum;
}

/// Of the nets inside the only layer.
LayerTimes times_inside(const net::NetDescription& net, Rates rates) {
    LayerTimes sum;
    for (const auto& inside : net::nets_inside(net.layers.at(0), net.input))
        sum += sum_of(estimated_times(inside, 3, values, rates));
    return sum;
}

schedule::StageCosts costs_of(const net::NetDescription& stage) {
    return stage_costs(stage, 3, values, estimated_times(stage, 3, values, {1, 1}));
}

}  // namespace

TEST_CASE("a block takes the times of its layers and of the sum behind them") {
    const auto net = net_of_one_block();
    const Rates rates{1000, 500};
    const LayerTimes all = estimated_times(net, 3, values, rates).at(0);
    const LayerTimes layers = times_inside(net, rates);
    const double ends = 3 * 2 * (6 * 7 * 5 + 8 * 4 * 3) / 500.0;
    CHECK(all.forward_s == Approx(layers.forward_s + 2 * ends));
    CHECK(all.backward_input_s == Approx(layers.backward_input_s + 2.5 * ends));
    CHECK(all.backward_weights_s == Approx(layers.backward_weights_s));
}

TEST_CASE("exchanges inside a block count, and are not scaled with what was measured") {
    const auto whole = net_of_one_block();
    const auto part = net::local_net(whole, net::tensor_split(whole, 2), 1);
    REQUIRE(part.layers.size() == 1);
    const Rates without{1000, 500};
    const Rates with{1000, 500, {.latency_s = 1, .bytes_per_second = 10}};
    const LayerTimes exchanging = estimated_times(part, 3, values, with).at(0);
    const LayerTimes computing = estimated_times(part, 3, values, without).at(0);
    const double exchanges_s = exchanging.forward_s - computing.forward_s;
    CHECK(exchanges_s > 0);
    auto measured = estimated_times(whole, 3, values, with);
    for (LayerTimes& t : measured) t.forward_s *= 7;
    const LayerTimes mine = times_of_part(whole, measured, part, 3, values, with).at(0);
    CHECK(mine.forward_s == Approx(7 * computing.forward_s + exchanges_s));
    CHECK(mine.backward_input_s == Approx(exchanging.backward_input_s));

    const auto stage = stage_costs(part, 3, values, {{mine}});
    const auto bytes = stage.forward_exchanges.bytes + stage.backward_exchanges.bytes;
    CHECK(bytes == 3 * 2 * net::values_exchanged(part) / 2);
    CHECK(exchanges_s == Approx(static_cast<double>(stage.forward_exchanges.rounds) +
                                0.1 * static_cast<double>(stage.forward_exchanges.bytes)));
}

TEST_CASE("what layers of a block share is kept once") {
    const auto net = net_of_one_block();
    constexpr std::int64_t x = 6 * 7 * 5, y = 8 * 4 * 3, norms = 3 * 8;
    // x, the inputs of three norms, that of conv2, the output; mean, deviation and statistics.
    CHECK(saved_bytes(net, 3, values) == 3 * 2 * (x + 5 * y) + 4 * 4 * norms);
    // x and the input of conv2, three output gradients.
    CHECK(bytes_from_B_to_W(net, 3, values) == 3 * 2 * (x + 4 * y) + 4 * 4 * norms);
    const auto ends = costs_of(net);
    CHECK((ends.saves_input && ends.holds_input && ends.saves_output));
    const net::NetDescription alone{
        "net", {6, 7, 5}, {{"b", net::Residual{{{"b.norm", net::BatchNorm{6}}}, {}, {}}}}};
    const auto of_alone = costs_of(alone);
    CHECK((of_alone.saves_input && !of_alone.holds_input && !of_alone.saves_output));
    CHECK(saved_bytes(alone, 3, values) == 3 * 2 * x + 4 * 4 * 6);
}

TEST_CASE("pools keep their input, dropout a byte for each value, linear layers what they sum") {
    const net::NetDescription net{"net",
                                  {4, 6, 6},
                                  {{"relu", net::LeakyRelu{0}},
                                   {"max", net::MaxPool{2, 2, 0}},
                                   {"drop", net::Dropout{0.5}},
                                   {"fc", net::Linear{36, 5}}}};
    CHECK(saved_bytes(net, 3, values) == 3 * (2 * (144 + 36) + 36));
    CHECK(bytes_from_B_to_W(net, 3, values) == 3 * 2 * (36 + 5));
    CHECK(gathered_bytes(net, values) == 2 * (192 + 64));
}

TEST_CASE("stages are cut before convolutions, blocks and linear layers") {
    const net::NetDescription net{"net",
                                  {3, 7, 5},
                                  {{"conv", net::Convolution{{3, 6, 3, 1, 1}}},
                                   {"bn", net::BatchNorm{6}},
                                   {"b", projection()},
                                   {"pool", net::AdaptiveAveragePool{1, 1}},
                                   {"fc", net::Linear{8, 4}}}};
    CHECK(blocks_of(net, 3) == std::vector<Range>{{0, 2}, {2, 2}, {4, 1}});
}
