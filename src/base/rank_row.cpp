#include "civitas/base/rank_row.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>

namespace civitas {

RankRow row_of(std::span<const Rank> ranks) {
    if (ranks.empty()) return {};
    const auto [low, high] = std::minmax_element(ranks.begin(), ranks.end());
    const RankRow all{index(*low), 1, index(*high) - index(*low) + 1};
    if (ranks.size() < 2 || ranks[1] <= ranks[0]) return all;
    const RankRow row{index(ranks[0]), index(ranks[1]) - index(ranks[0]),
                      static_cast<std::int32_t>(ranks.size())};
    for (std::size_t i = 0; i < ranks.size(); ++i)
        if (index(ranks[i]) != row.first + static_cast<std::int32_t>(i) * row.stride) return all;
    return row;
}

std::string to_string(const RankRow& row) {
    const int last = index(row.last());
    switch (row.count) {
        case 0: return "no rank";
        case 1: return text("rank ", row.first);
        case 2: return text("ranks ", row.first, " and ", last);
        default: break;
    }
    if (row.stride == 1) return text("ranks ", row.first, " to ", last);
    return text("ranks ", row.first, ", ", row.first + row.stride, " ... ", last);
}

}  // namespace civitas
