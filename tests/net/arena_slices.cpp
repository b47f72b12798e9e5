#include "civitas/net/arena_slices.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <utility>

using namespace civitas;
using namespace civitas::net;

namespace {

/// A layer for each letter that names of parameters begin with.
std::vector<Range> layers_of(const ArenaLayout& layout) {
    std::vector<Range> layers;
    char last = 0;
    for (const Slot& slot : layout.slots()) {
        const Range end = layers.empty() ? Range{} : layers.back();
        if (slot.parameter.name.front() != std::exchange(last, slot.parameter.name.front()))
            layers.push_back({end.end(), 0});
        ++layers.back().count;
    }
    layers.insert(layers.begin() + 1, {layers.front().end(), 0});  // one without parameters
    return layers;
}

std::vector<ArenaLayout> layouts() {
    return {ArenaLayout({{"a.weight", {100, 256, 4, 4}, Initializer::zero},
                         {"b.weight", {256}, Initializer::zero},
                         {"b.bias", {256}, Initializer::zero},
                         {"c.weight", {256, 3, 4, 4}, Initializer::zero}}),
            ArenaLayout({{"a.weight", {5, 3, 3, 3}, Initializer::zero},
                         {"b.weight", {4097}, Initializer::zero},
                         {"c.weight", {1300, 1, 2, 2}, Initializer::zero}}),
            ArenaLayout({{"a.weight", {3}, Initializer::zero}})};
}

}  // namespace

TEST_CASE("every rank owns a part of every block, which begins at a row and an alignment") {
    for (const ArenaLayout& layout : layouts())
        for (const int ranks : {1, 2, 3, 4, 7, 16}) {
            INFO(layout.slots().front().parameter.name << " in " << ranks);
            const ArenaDivision division(layout, layers_of(layout), ranks);
            std::int64_t at = 0;
            for (const ArenaBlock& block : division.blocks()) {
                CHECK(block.elements.begin == at);
                CHECK(std::ssize(block.slices) == ranks);
                for (const Range& slice : block.slices) {
                    CHECK(slice.begin == at);
                    CHECK(slice.begin % arena_alignment == 0);
                    at = slice.end();
                }
                CHECK(block.elements.end() == at);
            }
            CHECK(at == layout.size());
            if (ranks == 1)
                CHECK(division.owned_by(0).runs() == std::vector<Range>{{0, layout.size()}});
            std::vector<std::int64_t> rows(layout.slots().size(), 0);
            std::int64_t elements = 0;
            for (int rank = 0; rank < ranks; ++rank) {
                const ArenaRuns own = division.owned_by(rank);
                CHECK(own.count() <= division.most());
                elements += own.count();
                for (const SlotRows& some : rows_in(layout, own)) {
                    const auto& [parameter, offset] = layout.slots()[some.slot];
                    const std::int64_t row = parameter.elements() / parameter.shape[0];
                    CHECK(some.rows.begin == rows[some.slot]);
                    CHECK(own.places_of({offset + some.rows.begin * row, some.elements}) ==
                          Range{some.place, some.elements});
                    CHECK(some.elements == some.rows.count * row);
                    rows[some.slot] = some.rows.end();
                }
            }
            CHECK(elements == layout.size());
            for (std::size_t i = 0; i < rows.size(); ++i)
                CHECK(rows[i] == layout.slots()[i].parameter.shape[0]);
        }
}

TEST_CASE("layers of few elements are divided together with those before them") {
    const ArenaLayout layout = layouts().front();
    const auto blocks = ArenaDivision(layout, layers_of(layout), 2).blocks();
    REQUIRE(blocks.size() == 2);
    CHECK(blocks[0].layers == Range{0, 3});
    CHECK(blocks[0].slices == std::vector<Range>{{0, 204800}, {204800, 205312}});
    CHECK(blocks[1].layers == Range{3, 1});
    CHECK(blocks[1].slices == std::vector<Range>{{410112, 6336}, {416448, 5952}});
}

TEST_CASE("ranks own as good as even parts of real nets, and of their large layers") {
    for (const char* name : {"dcgan-64", "dcgan-256", "dcgan-1024"}) {
        const GanDescription gan = dcgan(name, 3);
        for (const NetDescription* net : {&gan.generator, &gan.discriminator}) {
            const ArenaLayout layout(parameters_of(*net));
            for (const int ranks : {2, 4, 16}) {
                INFO(name << ' ' << net->name << " in " << ranks);
                const ArenaDivision division(*net, ranks);
                CHECK(static_cast<double>(division.most() * ranks) <
                      1.02 * static_cast<double>(layout.size()));
                for (const ArenaBlock& block : division.blocks()) {
                    if (block.elements.count < 1'000'000) continue;
                    for (const Range& slice : block.slices)
                        CHECK(static_cast<double>(slice.count * ranks) <
                              1.2 * static_cast<double>(block.elements.count));
                }
            }
        }
    }
}

TEST_CASE("elements of runs have places one run after the other") {
    const ArenaRuns runs({{64, 128}, {256, 64}});
    CHECK(runs.count() == 192);
    CHECK(runs.places_of({64, 128}) == Range{0, 128});
    CHECK(runs.places_of({128, 192}) == Range{64, 128});
    CHECK(runs.places_of({256, 64}) == Range{128, 64});
    CHECK(runs.places_of({320, 64}) == Range{192, 0});
}

TEST_CASE("parts of slices lie within a range") {
    const std::vector<Range> slices{{0, 64}, {64, 128}, {192, 0}, {192, 64}};
    CHECK(within(slices, {32, 96}) == std::vector<Range>{{32, 32}, {64, 64}, {128, 0}, {128, 0}});
    CHECK(within(slices, {0, 256}) == slices);
    CHECK(within(slices, {192, 64}).back() == Range{192, 64});
    CHECK(places_within(slices, {32, 96}) ==
          std::vector<Range>{{0, 32}, {32, 64}, {96, 0}, {96, 0}});
}

TEST_CASE(
    "a room for leaves has what comes one after the other, from the last layer to the first") {
    const auto weight = [](std::int64_t elements) {
        return ParameterSpec{"weight", {elements}, Initializer::zero};
    };
    const ArenaLayout layout({weight(64), weight(256), weight(1024), weight(64)});
    const std::vector<Range> layers{{0, 1}, {1, 1}, {2, 0}, {2, 1}, {3, 1}};
    CHECK(leaf_room(layout, layers, 0) == 1024);
    CHECK(leaf_room(layout, layers, 1) == 1024 + 256);
    CHECK(leaf_room(layout, layers, 2) == 64 + 1024 + 256);
    CHECK(leaf_room(layout, {{2, 1}}, 2) == 3 * 1024);
    CHECK(leaf_room(layout, {{0, 0}}, 2) == 0);
    CHECK(leaves_in_use(false, false) == 0);
    CHECK(leaves_in_use(false, true) == 1);
}

TEST_CASE("rooms for leaves of real nets have little more than lies there at once") {
    for (const char* name : {"dcgan-64", "dcgan-256", "dcgan-1024"}) {
        const GanDescription gan = dcgan(name, 3);
        for (const NetDescription* net : {&gan.generator, &gan.discriminator})
            for (const int in_use : {1, 2, 4}) {
                const ArenaLayout layout(parameters_of(*net));
                const auto layers = slots_of_layers(*net);
                std::vector<std::int64_t> leaves;
                for (int round = 0; round < 2; ++round)
                    for (std::size_t i = layers.size(); i-- > 0;)
                        if (layers[i].count > 0) leaves.push_back(layout.elements(layers[i]).count);
                std::int64_t most = 0;
                for (std::size_t i = 0; i + static_cast<std::size_t>(in_use) < leaves.size(); ++i) {
                    const auto first = leaves.begin() + static_cast<std::ptrdiff_t>(i);
                    most =
                        std::max(most, std::accumulate(first, first + in_use + 1, std::int64_t{0}));
                }
                INFO(name << ' ' << net->name << " with " << in_use << " in use");
                const std::int64_t room = leaf_room(layout, layers, in_use);
                CHECK(room >= most);
                CHECK(static_cast<double>(room) < 1.1 * static_cast<double>(most));
            }
    }
}
