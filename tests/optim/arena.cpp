#include "support/tensor.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/hash.hpp"
#include "civitas/net/classifiers.hpp"
#include "civitas/net/tensor_split.hpp"
#include "civitas/optim/arena.hpp"
#include "civitas/random/stream.hpp"

using namespace civitas;
using namespace civitas::optim;

namespace {

std::vector<net::ParameterSpec> some_parameters() {
    return {{"deconv0.weight", {5, 3, 4, 4}, net::Initializer::normal_around_zero},
            {"norm0.weight", {7}, net::Initializer::normal_around_one},
            {"norm0.bias", {7}, net::Initializer::zero},
            {"conv1.weight", {2, 4, 4, 4}, net::Initializer::normal_around_zero},
            {"gain.weight", {70}, net::Initializer::one}};
}

}  // namespace

TEST_CASE("every parameter starts at a multiple of 64") {
    const net::ArenaLayout layout(some_parameters());
    std::vector<std::int64_t> offsets;
    for (const net::Slot& slot : layout.slots()) offsets.push_back(slot.offset);
    CHECK(offsets == std::vector<std::int64_t>{0, 256, 320, 384, 512});
    CHECK(layout.size() == 640);
    CHECK(layout.elements({1, 2}) == Range{256, 128});
    CHECK(layout.elements({4, 1}) == Range{512, 128});
    CHECK(layout.elements({2, 0}) == Range{320, 0});
    CHECK(layout.elements({5, 0}) == Range{640, 0});
}

TEST_CASE("slices cover the arena in whole alignments of nearly equal size") {
    const net::ArenaLayout layout(some_parameters());
    for (const int parts : {1, 2, 3, 4, 7, 16}) {
        const auto slices = net::aligned_slices(layout.size(), parts);
        REQUIRE(slices.size() == static_cast<std::size_t>(parts));
        std::int64_t at = 0;
        for (const Range& slice : slices) {
            CHECK(slice.begin == at);
            CHECK(slice.count % net::arena_alignment == 0);
            CHECK(std::abs(slice.count - layout.size() / parts) <= net::arena_alignment);
            at = slice.end();
        }
        CHECK(at == layout.size());
    }
}

TEST_CASE("a net of more than 2^31 parameters is laid out without being allocated") {
    const std::int64_t wide = 16384;
    const net::ArenaLayout layout(
        {{"a.weight", {wide, wide, 4, 4}, net::Initializer::normal_around_zero},
         {"b.weight", {3}, net::Initializer::one},
         {"c.weight", {wide, wide, 4, 4}, net::Initializer::normal_around_zero},
         {"d.weight", {1}, net::Initializer::one}});
    const std::int64_t big = std::int64_t{1} << 32;
    CHECK(layout.slots()[1].offset == big);
    CHECK(layout.slots()[2].offset == big + 64);
    CHECK(layout.slots()[3].offset == 2 * big + 64);
    CHECK(layout.size() == 2 * big + 128);
    const auto slices = net::aligned_slices(layout.size(), 3);
    CHECK(slices[2].begin == (2 * big + 128) / 64 * 2 / 3 * 64);
    CHECK(slices[2].end() == layout.size());
}

TEST_CASE("views have PyTorch's shapes in channels-last memory, apart from each other") {
    const net::ArenaLayout layout(some_parameters());
    const Arena arena(layout, at::kFloat, at::kCPU);
    for (std::size_t i = 0; i < layout.slots().size(); ++i) {
        const auto& shape = layout.slots()[i].parameter.shape;
        CHECK(arena.view(i).sizes() == at::IntArrayRef(shape));
        CHECK(arena.view(i).is_contiguous(shape.size() == 4 ? at::MemoryFormat::ChannelsLast
                                                            : at::MemoryFormat::Contiguous));
        arena.view(i).fill_(static_cast<double>(i + 1));
    }
    for (std::size_t i = 0; i < layout.slots().size(); ++i)
        CHECK((arena.view(i) == static_cast<double>(i + 1)).all().item<bool>());
    std::int64_t elements = 0;
    for (const net::Slot& slot : layout.slots()) elements += slot.parameter.elements();
    CHECK(arena.flat().count_nonzero().item<std::int64_t>() == elements);
    CHECK(arena.view(0).data_ptr() == arena.flat().data_ptr());
}

TEST_CASE("an arena can lie over memory of somebody else") {
    const net::ArenaLayout layout(some_parameters());
    const auto memory = at::zeros({2, layout.size()}, at::kDouble);
    const Arena second(layout, memory[1]);
    second.view(4).fill_(1.0);
    CHECK(memory[0].count_nonzero().item<std::int64_t>() == 0);
    CHECK(memory[1].narrow(0, 512, 70).sum().item<double>() == 70.0);
    CHECK_THROWS(Arena(layout, memory));
    CHECK_THROWS(Arena(layout, memory[0].narrow(0, 0, 576)));
}

TEST_CASE("layers of a net know their slots") {
    const auto net = net::dcgan("dcgan-64", 3).generator;
    const auto slots = net::slots_of_layers(net);
    const auto parameters = net::parameters_of(net);
    REQUIRE(slots.size() == net.layers.size());
    for (std::size_t i = 0; i < slots.size(); ++i)
        for (std::int64_t slot = slots[i].begin; slot < slots[i].end(); ++slot)
            CHECK(parameters.at(static_cast<std::size_t>(slot))
                      .name.rfind(net.layers[i].name + ".", 0) == 0);
    CHECK(slots.back().end() == static_cast<std::int64_t>(parameters.size()));
}

TEST_CASE("initial parameters follow the formula in PyTorch order") {
    const net::ArenaLayout layout(some_parameters());
    const Arena fp64(layout, at::kDouble, at::kCPU);
    const Arena fp32(layout, at::kFloat, at::kCPU);
    initialise(fp64, layout, Seed{11}, "generator");
    initialise(fp32, layout, Seed{11}, "generator");
    CHECK(at::equal(fp64.flat().to(at::kFloat), fp32.flat()));
    std::vector<double> normals(240);
    RandomStream(Seed{11}, Purpose::weights, {.minor = name_hash("generator.deconv0.weight")})
        .normals(0, normals);
    const auto logical = fp64.view(0).contiguous().view(-1);
    for (std::int64_t i = 0; i < 240; ++i)
        CHECK(logical[i].item<double>() == 0.02 * normals[static_cast<std::size_t>(i)]);
    CHECK(fp64.view(1).mean().item<double>() == Approx(1.0).margin(0.05));
    CHECK(fp64.view(2).abs().max().item<double>() == 0.0);
    CHECK((fp64.view(4) == 1.0).all().item<bool>());
    CHECK_FALSE(at::equal(fp64.view(0).flatten().narrow(0, 0, 128), fp64.view(3).flatten()));
    const Arena other(layout, at::kDouble, at::kCPU);
    initialise(other, layout, Seed{11}, "discriminator");
    CHECK_FALSE(at::equal(other.view(0), fp64.view(0)));
}

TEST_CASE("large parameters are drawn in parts without a seam") {
    const net::ArenaLayout layout(
        {{"w.weight", {300, 17, 5, 5}, net::Initializer::normal_around_zero}});
    const Arena arena(layout, at::kDouble, at::kCPU);
    initialise(arena, layout, Seed{1}, "g");
    const auto count = static_cast<std::size_t>(300 * 17 * 25);
    std::vector<double> normals(count);
    RandomStream(Seed{1}, Purpose::weights, {.minor = name_hash("g.w.weight")}).normals(0, normals);
    const auto expected = at::from_blob(normals.data(), {300, 17, 5, 5}, at::kDouble).mul(0.02);
    CHECK(at::equal(arena.view(0), expected));
    CHECK(expected.std().item<double>() == Approx(0.02).epsilon(0.02));
}

TEST_CASE("parameters begin with the deviation that their layer asks for") {
    const auto net = net::classifier("resnet-18", 3, 32, 10).net;
    const net::ArenaLayout layout(net::parameters_of(net::part_of(net, {0, 2})));
    const Arena arena(layout, at::kDouble, at::kCPU);
    initialise(arena, layout, Seed{1}, "classifier");
    CHECK(arena.view(0).mean().item<double>() == Approx(0).margin(0.01));
    CHECK(arena.view(0).std().item<double>() == Approx(std::sqrt(2.0 / (64 * 9))).epsilon(0.05));
    CHECK(at::equal(arena.view(1), at::ones({64}, at::kDouble)));
    CHECK(at::equal(arena.view(2), at::zeros({64}, at::kDouble)));
}

TEST_CASE("a part begins with the numbers of its box of the whole") {
    const auto gan = net::dcgan("dcgan-64", 3, {7, {12, 10, 8, 4}, {4, 8, 9, 8}});
    for (const auto* net : {&gan.generator, &gan.discriminator}) {
        const net::ArenaLayout whole_layout(net::parameters_of(*net));
        const Arena whole(whole_layout, at::kFloat, at::kCPU);
        initialise(whole, whole_layout, Seed{3}, net->name);
        for (const int parts : {2, 4}) {
            const auto plan = net::tensor_split(*net, parts);
            for (int part = 0; part < parts; ++part) {
                const net::ArenaLayout layout(net::parameters_of(net::local_net(*net, plan, part)));
                const Arena arena(layout, at::kFloat, at::kCPU);
                initialise(arena, layout, Seed{3}, net->name);
                for (std::size_t i = 0; i < layout.slots().size(); ++i) {
                    const auto& parameter = layout.slots()[i].parameter;
                    INFO(parameter.name << ", part " << part << " of " << parts);
                    auto wanted = whole.view(i);
                    const auto box = net::box_of(parameter.shape, parameter.slice);
                    for (std::size_t d = 0; d < box.size(); ++d)
                        wanted =
                            wanted.narrow(static_cast<std::int64_t>(d), box[d].begin, box[d].count);
                    CHECK(at::equal(arena.view(i), wanted));
                }
            }
        }
    }
}

TEST_CASE("the first parameter with a NaN or an Inf is named") {
    const net::ArenaLayout layout(some_parameters());
    const Arena arena(layout, at::kFloat, at::kCPU);
    const auto all = net::all_of(layout);
    CHECK(first_non_finite(arena.flat(), layout, all) == std::nullopt);
    arena.view(3).fill_(3e38);  // the sum overflows, no element has
    CHECK(first_non_finite(arena.flat(), layout, all) == std::nullopt);
    CHECK(all_finite(arena.views(), {}));
    arena.view(3)[1][2][3][0] = std::numeric_limits<float>::infinity();
    CHECK(first_non_finite(arena.flat(), layout, all) == "conv1.weight");
    CHECK_FALSE(all_finite(arena.views(), {}));
    arena.view(1)[6] = std::nan("");
    CHECK(first_non_finite(arena.flat(), layout, all) == "norm0.weight");
}
