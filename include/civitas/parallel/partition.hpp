#pragma once
/// How a net is cut into stages: exact, by dynamic programming over the places where it may be cut.
#include "civitas/nn/description.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

namespace civitas::parallel {

/// Layers that stay together, and what they cost the coordinate that holds them.
struct Block {
    Range layers;
    double seconds = 0;      ///< of F, B and W of a micro-batch
    std::int64_t bytes = 0;  ///< of weights, moments, sums and saved activations
    double cut_seconds = 0;  ///< more when a cut follows: for sending and for receiving, each
};

/// Runs of layers that a cut leaves whole: a convolution with the batch norm and activation behind
/// it. Single layers when `stages` are more than those. Throws UsageError for more stages than
/// layers.
[[nodiscard]] std::vector<Range> blocks_of(const nn::NetDescription& net, int stages);

/// Costs by formula, for when nothing was measured: operations, and elements read and written at
/// what memory allows. Relative to each other only.
[[nodiscard]] std::vector<Block> estimated_blocks(const nn::NetDescription& net, int stages);

inline constexpr std::int64_t no_cap = std::numeric_limits<std::int64_t>::max();

/// Layers of each stage such that the slowest stage is as fast as can be, none holding more than
/// `cap` bytes. O(stages blocks^2). Throws UsageError when no partition keeps below the cap, saying
/// how much the best needs.
[[nodiscard]] std::vector<Range> partition(std::span<const Block> blocks, int stages,
                                           std::int64_t cap = no_cap);

/// The user's own: how many blocks each stage gets, `3,2,2,1`. Throws UsageError when the numbers
/// are not as many as the stages or do not add up to the net's blocks.
[[nodiscard]] std::vector<Range> partition_as(const nn::NetDescription& net,
                                              const std::vector<std::int64_t>& blocks, int stages);

}  // namespace civitas::parallel
