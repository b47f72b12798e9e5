#pragma once
/// How nets are cut into stages: exact, by dynamic programming over the places where they may be
/// cut.
#include "civitas/net/description.hpp"

#include <compare>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

namespace civitas::net {

/// Layers of each stage of each net.
using StagesOfNets = std::vector<std::vector<Range>>;

/// Layers that stay together, and what they cost the coordinate that holds them.
struct Block {
    Range layers;
    double seconds = 0;      ///< of all visits in a step
    std::int64_t bytes = 0;  ///< of weights, moments, sums and saved activations
    double cut_seconds = 0;  ///< more when a cut follows: for sending and for receiving, each
};

/// Runs of layers that a cut leaves whole: a convolution with the batch norm and activation behind
/// it. Single layers when `stages` are more than those. Throws UsageError for more stages than
/// layers.
[[nodiscard]] std::vector<Range> blocks_of(const NetDescription& net, int stages);

inline constexpr std::int64_t no_cap = std::numeric_limits<std::int64_t>::max();

/// What a net can be cut into.
struct NetBlocks {
    std::vector<Block> blocks;
    bool reversed = false;  ///< its stages lie on the coordinates the other way round
};

/// Stages of each net such that the slowest coordinate, which holds one of each, is as fast as can
/// be, and none holds more than `cap` bytes; nothing when that cannot be. O(stages blocks^(2
/// nets)). Throws UsageError for more stages than blocks.
[[nodiscard]] std::optional<StagesOfNets> partition(const std::vector<NetBlocks>& nets, int stages,
                                                    std::int64_t cap = no_cap);

/// What a cut comes to: a byte too many for a coordinate weighs more than any time.
struct PartitionCost {
    std::int64_t excess_bytes = 0;
    double seconds = 0;
    friend auto operator<=>(const PartitionCost&, const PartitionCost&) = default;
};

/// Stages of all nets, and what they come to.
struct PricedStages {
    StagesOfNets stages;
    PartitionCost cost;
};

/// Improves stages, since equal shares are not all that makes a step short: moves single blocks
/// between neighbouring stages, of one net or of several at once, as long as the price of the
/// stages falls; asks for it at most `evaluations` times, and at least once.
[[nodiscard]] PricedStages local_search(
    StagesOfNets stages, const std::vector<NetBlocks>& nets,
    const std::function<PartitionCost(const StagesOfNets&)>& price, int evaluations);

/// Stages as the user asks for them: how many blocks each gets, `3,2,2,1`. Throws UsageError when
/// the numbers are not as many as the stages or do not add up to the net's blocks.
[[nodiscard]] std::vector<Range> partition_as(const NetDescription& net,
                                              const std::vector<std::int64_t>& blocks, int stages);

}  // namespace civitas::net
