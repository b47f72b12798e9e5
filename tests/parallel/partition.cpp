#include "civitas/parallel/partition.hpp"

#include <catch2/catch.hpp>

#include "civitas/base/error.hpp"

#include <algorithm>
#include <functional>
#include <random>

using namespace civitas;
using namespace civitas::parallel;

namespace {

double slowest(const std::vector<Block>& blocks, const std::vector<Range>& stages) {
    double worst = 0;
    for (const Range stage : stages) {
        double seconds = 0;
        for (const Block& block : blocks) {
            if (block.layers.begin < stage.begin || block.layers.end() > stage.end()) {
                if (block.layers.end() == stage.begin) seconds += block.cut_seconds;
                continue;
            }
            seconds += block.seconds;
            if (block.layers.end() == stage.end() && stage.end() < blocks.back().layers.end())
                seconds += block.cut_seconds;
        }
        worst = std::max(worst, seconds);
    }
    return worst;
}

std::int64_t largest(const std::vector<Block>& blocks, const std::vector<Range>& stages) {
    std::int64_t worst = 0;
    for (const Range stage : stages) {
        std::int64_t bytes = 0;
        for (const Block& block : blocks)
            if (block.layers.begin >= stage.begin && block.layers.end() <= stage.end())
                bytes += block.bytes;
        worst = std::max(worst, bytes);
    }
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

nn::NetDescription generator() { return nn::dcgan("dcgan-64", 3).generator; }

}  // namespace

TEST_CASE("the partition is the best of all there are") {
    std::mt19937 source(1);
    for (int round = 0; round < 200; ++round) {
        const auto blocks = random_blocks(source, 1 + round % 9);
        const int stages = 1 + round % static_cast<int>(blocks.size());
        double best = std::numeric_limits<double>::infinity();
        for_each_cut(std::ssize(blocks), stages, {}, [&](const std::vector<Range>& cut) {
            best = std::min(best, slowest(blocks, cut));
        });
        const auto found = partition(blocks, stages);
        REQUIRE(std::ssize(found) == stages);
        CHECK(slowest(blocks, found) == Approx(best).epsilon(1e-12));
    }
}

TEST_CASE("no stage holds more than the cap, and a cap that cannot be kept says what could") {
    std::mt19937 source(2);
    for (int round = 0; round < 100; ++round) {
        const auto blocks = random_blocks(source, 3 + round % 6);
        std::int64_t least = no_cap;
        for_each_cut(std::ssize(blocks), 3, {}, [&](const std::vector<Range>& cut) {
            least = std::min(least, largest(blocks, cut));
        });
        CHECK(largest(blocks, partition(blocks, 3, least)) == least);
        CHECK_THROWS_WITH(partition(blocks, 3, least - 1),
                          Catch::Contains("within " + std::to_string(least - 1) + " bytes") &&
                              Catch::Contains("needs " + std::to_string(least)));
    }
}

TEST_CASE("blocks are convolutions with what follows, or layers when there are more stages") {
    const auto net = generator();
    CHECK(blocks_of(net, 4).size() == 5);
    CHECK(blocks_of(net, 4)[0] == Range{0, 3});
    CHECK(blocks_of(net, 6).size() == net.layers.size());
    CHECK_THROWS_WITH(blocks_of(net, 15), Catch::Contains("has 14 layers, 15 stages"));
}

TEST_CASE("stages by formula cover the net, none without layers") {
    const auto net = generator();
    for (int stages = 1; stages <= 14; ++stages) {
        std::int64_t next = 0;
        const auto cut = partition(estimated_blocks(net, stages), stages);
        for (const Range layers : cut) {
            CHECK(layers.begin == next);
            CHECK(layers.count > 0);
            next = layers.end();
        }
        CHECK(next == 14);
        CHECK(std::ssize(cut) == stages);
    }
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
