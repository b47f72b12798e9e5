#include "cut.hpp"

#include "civitas/net/classifiers.hpp"

// Pools, dropout and residual blocks cut over all ranks.

using namespace civitas;
using namespace civitas::nn;
using namespace civitas::nn::test;

namespace {

constexpr std::array placements{net::Placement::replicate, net::Placement::shard};

net::NetDescription blocks_of(const char* name, Range layers) {
    return net::part_of(net::classifier(name, 3, 16, 8).net, layers);
}

}  // namespace

TEST_CASE("layers that work on each channel alone are cut by channels") {
    const auto world = comm::Communicator::world();
    const std::vector<Case> cases{{{"max", net::MaxPool{3, 2, 1}}, {2, 8, 7, 5}},
                                  {{"mean", net::AdaptiveAveragePool{1, 1}}, {3, 12, 4, 6}},
                                  {{"means", net::AdaptiveAveragePool{3, 2}}, {1, 4, 7, 6}}};
    for (const auto type : {at::kDouble, at::kFloat})
        for (const Case& c : cases)
            for (const net::Placement before : placements)
                for (const net::Placement after : placements) {
                    const net::NetDescription net{
                        "one", {c.input[1], c.input[2], c.input[3]}, {c.layer}};
                    const net::TensorSplit plan{world.size(),
                                                {{net::ChannelSplit::channels, before, after}}};
                    INFO(c.layer.name << " in " << c10::toString(type));
                    check_cut(world, net, plan, c.input[0], type, tolerance_of(type));
                }
}

TEST_CASE("blocks are cut inside, and with them both ends of a classifier") {
    const auto world = comm::Communicator::world();
    const std::vector<net::NetDescription> nets{
        blocks_of("resnet-18", {3, 1}), blocks_of("resnet-18", {5, 1}),
        blocks_of("resnet-50", {3, 1}), blocks_of("resnet-18", {0, 7}),
        blocks_of("resnet-18", {11, 2})};
    for (const auto& net : nets) {
        INFO(net.layers.front().name << " to " << net.layers.back().name);
        check_cut(world, net, net::tensor_split(net, world.size()), 2, at::kDouble, 1e-10);
    }
    check_cut(world, nets[2], net::tensor_split(nets[2], world.size()), 2, at::kFloat, 1e-4);
}

TEST_CASE("outside of training blocks over the ranks give what the whole net gives") {
    const auto world = comm::Communicator::world();
    const comm::MpiCollectives exchange(world);
    const auto net = blocks_of("resnet-18", {3, 3});
    const auto numbers = random_numbers(net.layers, at::kDouble);
    const auto part =
        net::local_net(net, net::tensor_split(net, world.size()), index(world.rank()));
    const auto stage = make_stage(part.layers, numbers_of(part, numbers), {.tensor = &exchange});
    const auto x = random_like({2, 64, 16, 16}, at::kDouble, 3);
    const auto y = stage.evaluate(x);
    REQUIRE_ALL(world, apart(y, make_stage(net.layers, numbers).evaluate(x)) < 1e-12);
    REQUIRE_ALL(world, equal_on_all(world, y));
}

TEST_CASE("a head with dropout over the ranks drops what the whole one drops") {
    const auto world = comm::Communicator::world();
    const comm::MpiCollectives exchange(world);
    const net::NetDescription net{"head",
                                  {8, 3, 3},
                                  {{"fc1", net::Linear{72, 32}},
                                   {"relu1", net::LeakyRelu{0}},
                                   {"drop1", net::Dropout{0.5}},
                                   {"fc2", net::Linear{32, 5}}}};
    const auto numbers = random_numbers(net.layers, at::kDouble);
    const auto x = random_like({3, 8, 3, 3}, at::kDouble, 3);
    const auto gy = random_like({3, 5, 1, 1}, at::kDouble, 4);
    const auto results = [&](const Stage& stage) {
        Stage::Context kept;
        kept.samples = {Seed{5}, Sample{9}};
        const auto y = stage.forward(x, kept);
        return std::pair(y, stage.backward_input(gy, kept, true, true));
    };
    const auto [y, gx] = results(make_stage(net.layers, numbers));
    const auto plan = net::tensor_split(net, world.size());
    if (world.size() > 1) REQUIRE(plan.layers[2].cut == net::ChannelSplit::channels);
    const auto part = net::local_net(net, plan, index(world.rank()));
    const auto [part_y, part_gx] =
        results(make_stage(part.layers, numbers_of(part, numbers), {.tensor = &exchange}));
    REQUIRE_ALL(world, apart(part_y, y) < 1e-12);
    REQUIRE_ALL(world, apart(part_gx, gx) < 1e-12);
}
