#include "civitas/steps/score.hpp"

#include "civitas/base/tree.hpp"
#include "civitas/nn/cross_entropy.hpp"

namespace civitas::steps {

Score score_of(const at::Tensor& logits_1K11, std::int64_t label) {
    const nn::CrossEntropy loss = nn::cross_entropy(logits_1K11, {{&label, 1}, 0}, 1);
    return {loss.value, loss.first, loss.top_five};
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
