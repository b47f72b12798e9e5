#include "civitas/steps/score.hpp"

#include "civitas/base/tree.hpp"
#include "civitas/nn/cross_entropy.hpp"

#include <ATen/ops/full.h>

namespace civitas::steps {

Score score_of(const at::Tensor& logits_1K11, std::int64_t label) {
    const at::Tensor class_B = at::full({1}, label, at::kLong);
    const at::Tensor figures = nn::cross_entropy(logits_1K11.cpu(), {class_B, 0}, 1).figures;
    const auto* const figure = figures.const_data_ptr<double>();
    return {figure[0], figure[1], figure[2]};
}

report::TestScores means_of(std::span<const Score> tiles) {
    const Score sum = tree_sum(
        0, std::ssize(tiles), [&](std::int64_t i) { return tiles[static_cast<std::size_t>(i)]; },
        [](const Score& a, const Score& b) {
            return Score{a.loss + b.loss, a.first + b.first, a.top_five + b.top_five};
        });
    const auto n = static_cast<double>(tiles.size());
    return {std::ssize(tiles), sum.loss / n, sum.first / n, sum.top_five / n};
}

}  // namespace civitas::steps
