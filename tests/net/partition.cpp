#include "civitas/net/partition.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <random>

using namespace civitas;
using namespace civitas::net;

namespace {

struct Load {
    double seconds = 0;
    std::int64_t bytes = 0;
};

Load load_of(const std::vector<Block>& blocks, Range stage) {
    Load load;
    for (const Block& block : blocks) {
        if (block.layers.end() == stage.begin) load.seconds += block.cut_seconds;
        if (block.layers.begin < stage.begin || block.layers.end() > stage.end()) continue;
        load.seconds += block.seconds;
        load.bytes += block.bytes;
        if (block.layers.end() == stage.end() && stage.end() < blocks.back().layers.end())
            load.seconds += block.cut_seconds;
    }
    return load;
}

/// Of each coordinate.
std::vector<Load> loads_of(const std::vector<NetBlocks>& nets, const StagesOfNets& cut) {
    std::vector<Load> loads(cut.front().size());
    for (std::size_t n = 0; n < nets.size(); ++n)
        for (std::size_t s = 0; s < loads.size(); ++s) {
            const std::size_t held = nets[n].reversed ? loads.size() - 1 - s : s;
            const Load load = load_of(nets[n].blocks, cut[n][held]);
            loads[s] = {loads[s].seconds + load.seconds, loads[s].bytes + load.bytes};
        }
    return loads;
}

double slowest(const std::vector<Load>& loads) {
    double worst = 0;
    for (const Load& load : loads) worst = std::max(worst, load.seconds);
    return worst;
}

std::int64_t largest(const std::vector<Load>& loads) {
    std::int64_t worst = 0;
    for (const Load& load : loads) worst = std::max(worst, load.bytes);
    return worst;
}

/// All ways to cut blocks of one layer each.
void for_each_cut(std::int64_t blocks, int stages, std::vector<Range> begun,
                  const std::function<void(const std::vector<Range>&)>& visit) {
    const std::int64_t begin = begun.empty() ? 0 : begun.back().end();
    if (stages == 1) {
        begun.push_back({begin, blocks - begin});
        return visit(begun);
    }
    for (std::int64_t count = 1; begin + count <= blocks - (stages - 1); ++count) {
        auto longer = begun;
        longer.push_back({begin, count});
        for_each_cut(blocks, stages - 1, longer, visit);
    }
}

std::vector<Block> random_blocks(std::mt19937& source, std::int64_t count) {
    std::uniform_real_distribution<double> seconds(0.1, 5);
    std::vector<Block> blocks;
    for (std::int64_t i = 0; i < count; ++i)
        blocks.push_back({{i, 1},
                          seconds(source),
                          static_cast<std::int64_t>(100 * seconds(source)),
                          seconds(source) / 3});
    return blocks;
}

void for_each_cut_of_all(const std::vector<NetBlocks>& nets, int stages,
                         const std::function<void(const StagesOfNets&)>& visit,
                         const StagesOfNets& begun = {}) {
    if (begun.size() == nets.size()) return visit(begun);
    for_each_cut(std::ssize(nets[begun.size()].blocks), stages, {},
                 [&](const std::vector<Range>& cut) {
                     StagesOfNets longer = begun;
                     longer.push_back(cut);
                     for_each_cut_of_all(nets, stages, visit, longer);
                 });
}

/// At most one cut of each net differs, by one block of one layer.
bool one_move_apart(const StagesOfNets& a, const StagesOfNets& b) {
    for (std::size_t n = 0; n < a.size(); ++n) {
        std::int64_t moved = 0;
        for (std::size_t s = 0; s < a[n].size(); ++s)
            moved += std::abs(a[n][s].begin - b[n][s].begin);
        if (moved > 1) return false;
    }
    return true;
}

int random_number(std::mt19937& source, int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(source);
}

/// One to three nets of a few blocks, reversed or not.
std::vector<NetBlocks> random_nets(std::mt19937& source, int fewest_blocks) {
    std::vector<NetBlocks> nets(static_cast<std::size_t>(random_number(source, 1, 3)));
    for (NetBlocks& net : nets) {
        net.blocks = random_blocks(source, random_number(source, fewest_blocks, fewest_blocks + 2));
        net.reversed = random_number(source, 0, 1) == 1;
    }
    return nets;
}

net::NetDescription generator() {
    return net::dcgan("dcgan-64", 3, {0, {512, 256, 128, 64}, {}}).generator;
}

}  // namespace

TEST_CASE("the partition is the best of all there are") {
    std::mt19937 source(1);
    for (int round = 0; round < 200; ++round) {
        const int fewest = random_number(source, 1, 3);
        const auto nets = random_nets(source, fewest);
        const int stages = random_number(source, 1, fewest);
        double best = std::numeric_limits<double>::infinity();
        for_each_cut_of_all(nets, stages, [&](const StagesOfNets& cut) {
            best = std::min(best, slowest(loads_of(nets, cut)));
        });
        const auto found = partition(nets, stages).value();
        for (const auto& cut : found) REQUIRE(std::ssize(cut) == stages);
        CHECK(slowest(loads_of(nets, found)) == Approx(best).epsilon(1e-12));
    }
}

TEST_CASE("no coordinate holds more than the cap, and one that cannot be kept says what could") {
    std::mt19937 source(2);
    for (int round = 0; round < 100; ++round) {
        const auto nets = random_nets(source, 3);
        std::int64_t least = no_cap;
        for_each_cut_of_all(nets, 3, [&](const StagesOfNets& cut) {
            least = std::min(least, largest(loads_of(nets, cut)));
        });
        const auto found = partition(nets, 3, least);
        REQUIRE(found);
        CHECK(largest(loads_of(nets, *found)) == least);
        CHECK_FALSE(partition(nets, 3, least - 1));
    }
}

TEST_CASE("refining finds the best within reach, asks no more than it may, and never gets worse") {
    std::mt19937 source(3);
    int bettered = 0;
    for (int round = 0; round < 100; ++round) {
        const auto nets = random_nets(source, 4);
        const auto start = partition(nets, 3).value();
        // Another measure than the partition's: stages that run one after the other count twice.
        int asked = 0;
        const auto seconds = [&](const StagesOfNets& cut) {
            ++asked;
            const auto loads = loads_of(nets, cut);
            return PartitionCost{0, slowest(loads) + loads.front().seconds};
        };
        const auto [found, cost] = local_search(start, nets, seconds, 1000);
        CHECK(cost == seconds(found));
        CHECK(seconds(found).seconds <= seconds(start).seconds);
        bettered += seconds(found) < seconds(start) ? 1 : 0;
        for_each_cut_of_all(nets, 3, [&](const StagesOfNets& cut) {
            if (one_move_apart(found, cut))
                CHECK(seconds(cut).seconds >= seconds(found).seconds * (1 - 1e-8));
        });
        asked = 0;
        (void)local_search(start, nets, seconds, 7);
        CHECK(asked <= 7);
    }
    CHECK(bettered > 10);
}

TEST_CASE("refining never takes more memory than there is for the sake of time") {
    std::mt19937 source(5);
    int dearer = 0;
    for (int round = 0; round < 100; ++round) {
        const auto nets = random_nets(source, 4);
        std::int64_t least = no_cap;
        for_each_cut_of_all(nets, 3, [&](const StagesOfNets& cut) {
            least = std::min(least, largest(loads_of(nets, cut)));
        });
        const auto price = [&](const StagesOfNets& cut) {
            const auto loads = loads_of(nets, cut);
            return PartitionCost{std::max<std::int64_t>(0, largest(loads) - least), slowest(loads)};
        };
        const auto unbound = partition(nets, 3).value();
        const auto found =
            local_search(partition(nets, 3, least).value(), nets, price, 1000).stages;
        CHECK(price(found).excess_bytes == 0);
        CHECK(local_search(unbound, nets, price, 1000).cost <= price(unbound));
        dearer += price(found).seconds > price(unbound).seconds ? 1 : 0;
    }
    CHECK(dearer > 50);
}

TEST_CASE("more stages than blocks are refused") {
    std::mt19937 source(4);
    CHECK_THROWS_WITH(partition({{random_blocks(source, 3)}, {random_blocks(source, 2)}}, 3),
                      "2 blocks cannot be cut into 3 stages");
}

TEST_CASE("blocks are convolutions with what follows, or layers when there are more stages") {
    const auto net = generator();
    CHECK(blocks_of(net, 4).size() == 5);
    CHECK(blocks_of(net, 4)[0] == Range{0, 3});
    CHECK(blocks_of(net, 6).size() == net.layers.size());
    CHECK_THROWS_WITH(blocks_of(net, 15), Catch::Contains("has 14 layers, 15 stages"));
}

TEST_CASE("a user's own cut is taken as it is, or refused with both numbers") {
    const auto net = generator();
    const auto cut = partition_as(net, {2, 1, 2}, 3);
    CHECK(cut == std::vector<Range>{{0, 6}, {6, 3}, {9, 5}});
    CHECK_THROWS_WITH(partition_as(net, {2, 2}, 2),
                      Catch::Contains("5 blocks for 2 stages") &&
                          Catch::Contains("names 2 stages with 4 blocks"));
    CHECK_THROWS_WITH(partition_as(net, {2, 3}, 3), Catch::Contains("for 3 stages"));
    CHECK_THROWS_AS(partition_as(net, {5, 0}, 2), UsageError);
}
