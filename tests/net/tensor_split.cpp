#include "civitas/net/tensor_split.hpp"

#include "civitas/base/error.hpp"

#include <catch2/catch.hpp>
#include <limits>

using namespace civitas;
using namespace civitas::net;
using Catch::Contains;

namespace {

constexpr LayerSplit out_of_whole{ChannelSplit::output, Placement::replicate, Placement::shard};
constexpr LayerSplit out_of_slice{ChannelSplit::output, Placement::shard, Placement::shard};
constexpr LayerSplit in_to_slice{ChannelSplit::input, Placement::shard, Placement::shard};
constexpr LayerSplit in_to_whole{ChannelSplit::input, Placement::shard, Placement::replicate};
constexpr LayerSplit alone{ChannelSplit::channels, Placement::shard, Placement::shard};

GanDescription pair(std::vector<std::int64_t> generator, std::vector<std::int64_t> discriminator) {
    GanOverrides changes;
    changes.nz = 7;
    changes.generator_widths = std::move(generator);
    changes.discriminator_widths = std::move(discriminator);
    return dcgan("dcgan-64", 3, changes);
}

std::string refusal(const NetDescription& net, int parts) {
    try {
        (void)tensor_split(net, parts);
    } catch (const UsageError& e) {
        return e.what();
    }
    return "accepted";
}

bool is_convolution(const LayerDescription& layer) {
    return std::holds_alternative<Convolution>(layer.kind) ||
           std::holds_alternative<TransposedConvolution>(layer.kind);
}

/// Fewest values of all plans that can be, one after the other.
std::int64_t fewest(const NetDescription& net, TensorSplit plan) {
    const std::size_t layer = plan.layers.size();
    if (layer == net.layers.size()) {
        if (plan.layers.back().after != Placement::replicate)
            return std::numeric_limits<std::int64_t>::max();
        return values_exchanged(local_net(net, plan, 0));
    }
    const auto shapes = shapes_of(net);
    const auto divides = [&](std::size_t i) { return shapes[i].channels % plan.parts == 0; };
    const Placement before = layer == 0 ? Placement::replicate : plan.layers.back().after;
    std::int64_t best = std::numeric_limits<std::int64_t>::max();
    const auto attempt = [&](LayerSplit cut) {
        plan.layers.push_back(cut);
        best = std::min(best, fewest(net, plan));
        plan.layers.pop_back();
    };
    if (!is_convolution(net.layers[layer])) {
        attempt({before == Placement::shard ? ChannelSplit::channels : ChannelSplit::whole, before,
                 before});
        return best;
    }
    for (const Placement after : {Placement::replicate, Placement::shard}) {
        if (after == Placement::shard && !divides(layer + 1)) continue;
        if (divides(layer)) attempt({ChannelSplit::input, before, after});
        if (divides(layer + 1)) attempt({ChannelSplit::output, before, after});
        if (!divides(layer) && !divides(layer + 1)) attempt({ChannelSplit::whole, before, after});
    }
    return best;
}

}  // namespace

TEST_CASE("G of dcgan-64 gathers inputs, D scatters sums, and the image is whole") {
    const auto gan = dcgan("dcgan-64", 3);
    for (const int parts : {2, 4}) {
        const auto g = tensor_split(gan.generator, parts).layers;
        CHECK(g[0] == out_of_whole);
        for (const std::size_t i : {3U, 6U, 9U, 12U}) CHECK(g[i] == out_of_slice);
        CHECK(g[15] == in_to_whole);
        for (const std::size_t i : {1U, 2U, 4U, 5U, 10U, 11U}) CHECK(g[i] == alone);
        const auto d = tensor_split(gan.discriminator, parts).layers;
        CHECK(d[0] == out_of_whole);
        for (const std::size_t i : {2U, 5U, 8U}) CHECK(d[i] == in_to_slice);
        CHECK(d[11] == in_to_whole);
        CHECK(d[1] == alone);
    }
}

TEST_CASE("no plan exchanges fewer values") {
    for (const int parts : {2, 4})
        for (const auto& gan : {pair({8, 8, 4, 4}, {4, 4, 8, 8}), pair({8, 6, 4, 12}, {8, 4, 6, 4}),
                                pair({16, 4, 5, 7}, {12, 5, 7, 4})})
            for (const auto* net : {&gan.generator, &gan.discriminator}) {
                const auto plan = tensor_split(*net, parts);
                CHECK(values_exchanged(local_net(*net, plan, 0)) == fewest(*net, {parts, {}}));
            }
}

TEST_CASE("a part is a net of the whole's shapes whose arrays tile those of the whole") {
    const int parts = 4;
    const auto gan = pair({8, 6, 4, 12}, {8, 4, 6, 4});
    for (const auto* net : {&gan.generator, &gan.discriminator}) {
        const auto plan = tensor_split(*net, parts);
        const auto whole = parameters_of(*net);
        std::vector<std::int64_t> held(whole.size(), 0);
        for (int part = 0; part < parts; ++part) {
            const auto mine = local_net(*net, plan, part);
            CHECK(shapes_of(mine).back() == shapes_of(*net).back());
            const auto specs = parameters_of(mine);
            REQUIRE(specs.size() == whole.size());
            for (std::size_t i = 0; i < specs.size(); ++i) {
                CHECK(specs[i].name == whole[i].name);
                CHECK(logical_shape(specs[i].shape, specs[i].slice) == whole[i].shape);
                const auto box = box_of(specs[i].shape, specs[i].slice);
                if (!specs[i].slice) {
                    CHECK(specs[i].shape == whole[i].shape);
                    held[i] += part == 0 ? whole[i].elements() : 0;
                } else {
                    CHECK(box[specs[i].slice->dim].begin * parts ==
                          part * whole[i].shape[specs[i].slice->dim]);
                    held[i] += specs[i].elements();
                }
            }
        }
        for (std::size_t i = 0; i < whole.size(); ++i) CHECK(held[i] == whole[i].elements());
    }
}

TEST_CASE("four ranks hold a quarter of dcgan-64, and what is whole is named in the plan") {
    const auto gan = dcgan("dcgan-64", 3);
    for (const auto* net : {&gan.generator, &gan.discriminator})
        CHECK(parameter_count(local_net(*net, tensor_split(*net, 4), 1)) * 4 ==
              parameter_count(*net));
    const auto odd = pair({8, 6, 4, 12}, {8, 9, 5, 8}).discriminator;
    const auto plan = tensor_split(odd, 4).layers;
    CHECK(plan[5].cut == ChannelSplit::whole);  // 9 to 5 channels
    CHECK(plan[6].cut == ChannelSplit::whole);
    CHECK(plan[2] == in_to_whole);
    CHECK(plan[8] == out_of_whole);
}

TEST_CASE("one part is the whole net") {
    const auto net = dcgan("dcgan-64", 1).generator;
    const auto part = local_net(net, tensor_split(net, 1), 0);
    CHECK(part.layers.size() == net.layers.size());
    CHECK(parameter_count(part) == parameter_count(net));
    CHECK(values_exchanged(part) == 0);
    CHECK_FALSE(parameters_of(part).front().slice.has_value());
}

TEST_CASE("values exchanged are those of the collectives, by hand") {
    const NetDescription net{
        "two",
        {4, 8, 8},
        {{"up", TransposedConvolution{{4, 8, 4, 2, 1}}}, {"down", Convolution{{8, 2, 4, 2, 1}}}}};
    const TensorSplit pair_plan{2, {out_of_whole, in_to_whole}};
    // B sums the gradient of 4 x 8 x 8, F sums 2 x 8 x 8: to its owners and back.
    CHECK(values_exchanged(local_net(net, pair_plan, 0)) == 2 * 256 + 2 * 128);
    const TensorSplit sums{
        2, {{ChannelSplit::input, Placement::replicate, Placement::shard}, in_to_whole}};
    // The slice of the input: its gradient is gathered. Sums of 8 x 16 x 16 scattered, gathered.
    CHECK(values_exchanged(local_net(net, sums, 0)) == 256 + 2 * 2048 + 2 * 128);
}

TEST_CASE("cuts that are impossible or senseless are refused with both numbers") {
    const auto gan = pair({9, 15, 9, 3}, {8, 6, 4, 12});
    CHECK_THAT(refusal(gan.discriminator, 5),
               Contains("tensor=5 is more than the 4 channels of the narrowest layer of "
                        "discriminator") &&
                   Contains("multiples of 2"));
    CHECK_THAT(refusal(gan.generator, 2), Contains("tensor=2 divides no layer of generator, whose "
                                                   "widths are 9,15,9,3") &&
                                              Contains("multiples of 3"));
    CHECK_THAT(refusal(pair({7, 11, 5, 9}, {8, 6, 4, 12}).generator, 2),
               Contains("divides no layer") && Contains("other --generator-widths"));
    CHECK(refusal(gan.generator, 3) == "accepted");
    // The three channels of the image do not count.
    CHECK_THAT(refusal(pair({8, 8, 8, 8}, {8, 8, 8, 8}).generator, 3),
               Contains("divides no layer"));
    const LayerDescription odd{"conv1.in", Redistribute{replicated, sliced, 2}};
    CHECK_THROWS_WITH(output_of(odd, {5, 4, 4}),
                      Contains("layer conv1.in divides 5 channels by 2"));
}
