#include "civitas/net/arena_slices.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>

using namespace civitas;
using namespace civitas::net;

namespace {

std::vector<ArenaLayout> layouts() {
    return {ArenaLayout({{"deconv0.weight", {100, 256, 4, 4}, Initializer::zero},
                         {"norm0.weight", {256}, Initializer::zero},
                         {"norm0.bias", {256}, Initializer::zero},
                         {"deconv1.weight", {256, 3, 4, 4}, Initializer::zero}}),
            ArenaLayout({{"a.weight", {5, 3, 3, 3}, Initializer::zero},
                         {"b.weight", {7}, Initializer::zero},
                         {"c.weight", {130, 1, 2, 2}, Initializer::zero}}),
            ArenaLayout({{"a.weight", {3}, Initializer::zero}})};
}

}  // namespace

TEST_CASE("owned parts cover an arena, and begin at rows and alignments") {
    for (const ArenaLayout& layout : layouts())
        for (const int parts : {1, 2, 3, 4, 7, 16}) {
            INFO(layout.slots().front().parameter.name << " in " << parts);
            std::int64_t at = 0;
            std::vector<std::int64_t> rows(layout.slots().size(), 0);
            for (const Range& slice : owned_slices(layout, parts)) {
                CHECK(slice.begin == at);
                CHECK(slice.begin % arena_alignment == 0);
                at = slice.end();
                for (const SlotRows& some : rows_in(layout, slice)) {
                    const auto& [parameter, offset] = layout.slots()[some.slot];
                    const std::int64_t row = parameter.elements() / parameter.shape[0];
                    CHECK(some.rows.begin == rows[some.slot]);
                    CHECK(some.offset == offset + some.rows.begin * row);
                    CHECK(some.elements == some.rows.count * row);
                    rows[some.slot] = some.rows.end();
                }
            }
            CHECK(at == layout.size());
            for (std::size_t i = 0; i < rows.size(); ++i)
                CHECK(rows[i] == layout.slots()[i].parameter.shape[0]);
        }
}

TEST_CASE("owned parts of real nets are as good as even") {
    for (const char* name : {"dcgan-64", "dcgan-256", "dcgan-1024"}) {
        const GanDescription gan = dcgan(name, 3);
        for (const NetDescription* net : {&gan.generator, &gan.discriminator}) {
            const ArenaLayout layout(parameters_of(*net));
            for (const int parts : {2, 4, 16}) {
                INFO(name << ' ' << net->name << " in " << parts);
                CHECK(static_cast<double>(largest_owned_slice(layout, parts) * parts) <
                      1.05 * static_cast<double>(layout.size()));
            }
        }
    }
}

TEST_CASE("parts of slices lie within a range") {
    const std::vector<Range> slices{{0, 64}, {64, 128}, {192, 0}, {192, 64}};
    CHECK(within(slices, {32, 96}) == std::vector<Range>{{32, 32}, {64, 64}, {128, 0}, {128, 0}});
    CHECK(within(slices, {0, 256}) == slices);
    CHECK(within(slices, {192, 64}).back() == Range{192, 64});
    CHECK(places_within(slices, {32, 96}) ==
          std::vector<Range>{{0, 32}, {32, 64}, {96, 0}, {96, 0}});
}
