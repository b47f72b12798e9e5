#pragma once
/// How well a classifier tells tiles.
#include "civitas/report/test_scores.hpp"

#include <ATen/core/Tensor.h>
#include <cstdint>
#include <span>

namespace civitas::steps {

/// Of one tile.
struct Score {
    double loss = 0;      ///< cross-entropy, without smoothing
    double first = 0;     ///< 1 where its class has the largest logit
    double top_five = 0;  ///< 1 where its class is among the five with the largest
};

/// By the logits (1,K,1,1) of a tile of class `label`. Throws Error for a class that there is not.
[[nodiscard]] Score score_of(const at::Tensor& logits_1K11, std::int64_t label);

/// Sums in tree order, divided by the number of tiles. Precondition: there is one.
[[nodiscard]] report::TestScores means_of(std::span<const Score> tiles);

}  // namespace civitas::steps
