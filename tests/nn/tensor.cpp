#include "cut.hpp"

// Layers and nets cut over all ranks against autograd's whole ones in double.

using namespace civitas;
using namespace civitas::nn;
using namespace civitas::nn::test;

namespace {

/// Channels of every case, divided by two and by four or by neither; images and batches odd too.
std::vector<Case> cut_cases() {
    std::vector<Case> all;
    const auto add = [&](const char* name, const net::LayerKind& kind,
                         std::vector<std::int64_t> input) {
        all.push_back({{name, kind}, std::move(input)});
    };
    add("down", net::Convolution{sizes(12, 20, 4, 2, 1)}, {3, 12, 16, 16});
    add("down_odd", net::Convolution{sizes(20, 12, 3, 2, 1)}, {1, 20, 9, 13});
    add("image", net::Convolution{sizes(3, 24, 4, 2, 1)}, {2, 3, 15, 17});
    add("logit", net::Convolution{sizes(24, 1, 4, 1, 0)}, {5, 24, 4, 4});
    add("one_logit", net::Convolution{sizes(8, 1, 4, 1, 0)}, {1, 8, 4, 4});
    add("first", net::TransposedConvolution{sizes(7, 12, 4, 1, 0)}, {4, 7, 1, 1});
    add("up", net::TransposedConvolution{sizes(12, 20, 4, 2, 1)}, {1, 12, 8, 8});
    add("up_odd", net::TransposedConvolution{sizes(28, 4, 5, 3, 2)}, {3, 28, 5, 7});
    add("plan", net::TransposedConvolution{sizes(20, 3, 4, 2, 1)}, {2, 20, 9, 5});
    add("grey", net::TransposedConvolution{sizes(4, 1, 4, 2, 1)}, {1, 4, 8, 8});
    add("neither", net::Convolution{sizes(5, 7, 3, 2, 1)}, {3, 5, 9, 13});
    add("bias", net::Convolution{with_bias(sizes(8, 12, 3, 1, 1))}, {2, 8, 5, 3});
    add("linear", net::Linear{8 * 3 * 2, 12}, {3, 8, 3, 2});
    add("linear_point", net::Linear{12, 20, false}, {2, 12, 1, 1});
    return all;
}

/// Every way to cut one layer over the ranks.
std::vector<net::LayerSplit> split_of(const Case& c, int parts) {
    const auto out = output_shape(c)[1];
    const auto divides = [&](std::int64_t channels) { return channels % parts == 0; };
    std::vector<net::LayerSplit> all;
    for (const net::ChannelSplit cut :
         {net::ChannelSplit::whole, net::ChannelSplit::input, net::ChannelSplit::output})
        for (const net::Placement before : {net::Placement::replicate, net::Placement::shard})
            for (const net::Placement after : {net::Placement::replicate, net::Placement::shard})
                if ((divides(c.input[1]) ||
                     (cut != net::ChannelSplit::input && before == net::Placement::replicate)) &&
                    (divides(out) ||
                     (cut != net::ChannelSplit::output && after == net::Placement::replicate)))
                    all.push_back({cut, before, after});
    return all;
}

}  // namespace

TEST_CASE("F, B and W of every layer, cut in every way, are those of the whole layer") {
    const auto world = comm::Communicator::world();
    for (const auto type : {at::kDouble, at::kFloat, at::kBFloat16})
        for (const auto& c : cut_cases())
            for (const auto& cut : split_of(c, world.size())) {
                const net::NetDescription net{
                    "one", {c.input[1], c.input[2], c.input[3]}, {c.layer}};
                INFO(c.layer.name << " in " << c10::toString(type) << ", cut "
                                  << static_cast<int>(cut.cut) << static_cast<int>(cut.before)
                                  << static_cast<int>(cut.after));
                check_cut(world, net, {world.size(), {cut}}, c.input[0], type, tolerance_of(type));
            }
}

TEST_CASE("whole nets cut over the ranks are those of torch::nn with autograd") {
    const auto world = comm::Communicator::world();
    net::GanOverrides even{12, {24, 16, 12, 8}, {8, 12, 16, 24}};
    net::GanOverrides odd{7, {12, 10, 8, 4}, {4, 8, 9, 5}};
    for (const auto& changes : {even, odd})
        for (const std::int64_t channels : {3, 1}) {
            const auto gan = net::dcgan("dcgan-64", channels, changes);
            for (const auto* net : {&gan.generator, &gan.discriminator}) {
                const auto plan = net::tensor_split(*net, world.size());
                INFO(net->name);
                check_cut(world, *net, plan, 3, at::kDouble, 1e-10);
                check_cut(world, *net, plan, 3, at::kFloat, 1e-4);
            }
        }
}

TEST_CASE("generation over the ranks draws what the whole net draws") {
    const auto world = comm::Communicator::world();
    const comm::MpiCollectives exchange(world);
    const auto net = net::dcgan("dcgan-64", 3, {7, {12, 10, 8, 4}, {}}).generator;
    const auto numbers = random_numbers(net.layers, at::kDouble);
    const auto part =
        net::local_net(net, net::tensor_split(net, world.size()), index(world.rank()));
    const auto stage = make_stage(part.layers, numbers_of(part, numbers), {.tensor = &exchange});
    const auto z = random_like({2, 7, 1, 1}, at::kDouble, 3);
    const auto drawn = stage.evaluate(z);
    REQUIRE_ALL(world, apart(drawn, make_stage(net.layers, numbers).evaluate(z)) < 1e-12);
    REQUIRE_ALL(world, equal_on_all(world, drawn));
}

TEST_CASE("sums of bf16 are made in fp32 and rounded once") {
    const auto world = comm::Communicator::world();
    const comm::MpiCollectives exchange(world);
    // 256 + 1 + 1 + 1 is 259, which bf16 rounds to 260; one by one in bf16 it stays 256.
    const auto mine = torch::full({1, 4, 3, 5}, world.is_root() ? 256.0 : 1.0, at::kBFloat16);
    const double sum = 256.0 + world.size() - 1;
    const auto wanted = torch::full({1, 4, 3, 5}, sum, at::kFloat).to(at::kBFloat16);
    const auto layer =
        make_layer({"sum", net::Redistribute{net::partial, net::replicated, world.size()}}, {},
                   {.tensor = &exchange});
    REQUIRE_ALL(world, torch::equal(layer->evaluate(channels_last(mine)), wanted));
}

TEST_CASE("exchanges tell what time they take, and write it down while they are traced") {
    const auto world = comm::Communicator::world();
    const comm::MpiCollectives exchange(world);
    Timeline timeline;
    exchange.record_to(&timeline, Talk::tensor_exchange);
    const auto layer =
        make_layer({"sum", net::Redistribute{net::partial, net::sliced, world.size()}}, {},
                   {.tensor = &exchange});
    (void)layer->evaluate(channels_last(torch::ones({1, 4, 3, 5})));
    CHECK(exchange.seconds() > 0);
    REQUIRE(timeline.spans.size() == 1);
    CHECK(timeline.spans[0].talk == Talk::tensor_exchange);
    CHECK(timeline.spans[0].begin_s >= 0);
    CHECK(timeline.spans[0].end_s - timeline.spans[0].begin_s == Approx(exchange.seconds()));
    const double once = exchange.seconds();
    (void)make_layer({"copy", net::Redistribute{net::replicated, net::shared, world.size()}}, {},
                     {.tensor = &exchange})
        ->evaluate(torch::ones({1, 4, 3, 5}));
    CHECK(exchange.seconds() == once);
    exchange.record_to(nullptr, Talk::tensor_exchange);
    (void)layer->evaluate(channels_last(torch::ones({1, 4, 3, 5})));
    CHECK(timeline.spans.size() == 1);
}

TEST_CASE("an exchange without its ranks is a broken promise") {
    const net::LayerDescription sum{"sum", net::Redistribute{net::partial, net::replicated, 3}};
    const auto world = comm::Communicator::world();
    const comm::MpiCollectives exchange(world);
    CHECK_THROWS_AS(make_layer(sum, {}), Error);
    CHECK_THROWS_AS(make_layer(sum, {}, {.tensor = &exchange}), Error);
}

TEST_CASE("without an input gradient nothing is exchanged before the first weights") {
    const auto world = comm::Communicator::world();
    const comm::MpiCollectives exchange(world);
    const net::NetDescription net{
        "one", {3, 8, 8}, {{"conv0", net::Convolution{sizes(3, 8, 4, 2, 1)}}}};
    const auto numbers = random_numbers(net.layers, at::kFloat);
    const auto part =
        net::local_net(net, net::tensor_split(net, world.size()), index(world.rank()));
    const auto mine = numbers_of(part, numbers);
    const auto stage = make_stage(part.layers, mine, {.tensor = &exchange});
    const auto x = random_like({2, 3, 8, 8}, at::kFloat, 3);
    const auto gy = random_like({2, 8, 4, 4}, at::kFloat, 5);
    const auto with = run(stage, mine, x, gy, true);
    // On one rank alone: a collective would never return.
    Results without;
    Stage::Context kept;
    (void)stage.forward(x, kept);
    if (world.is_root())
        CHECK_FALSE(stage.backward_input(gy, kept, false, true).defined());
    else
        (void)stage.backward_input(gy, kept, false, true);
    for (std::size_t i = 0; i < stage.size(); ++i) {
        const auto leaf = blank_leaf(mine.layers[i]);
        stage.backward_weights(i, kept, leaf);
        without.gradients.insert(without.gradients.end(), leaf.begin(), leaf.end());
    }
    CHECK(torch::equal(with.gradients[0], without.gradients[0]));
}
