#pragma once
/// Ranks at equal distances, as every group of a mesh along an axis has them.
#include "civitas/base/numbers.hpp"

#include <span>
#include <string>

namespace civitas {

/// The ranks first, first + stride, ...: `count` of them.
struct RankRow {
    std::int32_t first = 0;
    std::int32_t stride = 1;
    std::int32_t count = 0;

    [[nodiscard]] bool empty() const { return count == 0; }
    [[nodiscard]] Rank last() const { return Rank{first + (count - 1) * stride}; }
    [[nodiscard]] bool contains(Rank rank) const {
        return rank >= Rank{first} && rank <= last() && (index(rank) - first) % stride == 0;
    }
    friend bool operator==(const RankRow&, const RankRow&) = default;
};

/// The row of one rank.
[[nodiscard]] constexpr RankRow row_of(Rank rank) { return {index(rank), 1, 1}; }
/// The row of ranks in ascending order; of those that are none, all from the first to the last.
[[nodiscard]] RankRow row_of(std::span<const Rank> ranks);

/// `rank 3`, `ranks 0 and 2`, `ranks 0 to 7`, `ranks 0, 2 ... 6`.
[[nodiscard]] std::string to_string(const RankRow& row);

}  // namespace civitas
