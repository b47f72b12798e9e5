#pragma once
/// What the plans of a GAN are asked to be like.
#include <cstdint>
#include <string_view>

namespace civitas {

/// `none`: like any tile; `cover`: with certain shares of buildings and of roads; `source`: like
/// the tiles of one of the maps that they were cut from.
enum class ConditionKind { none, cover, source };

[[nodiscard]] ConditionKind parse_condition(std::string_view name);  ///< throws UsageError
[[nodiscard]] std::string_view to_string(ConditionKind kind);

/// Shares of cover that a plan is asked for: of buildings and of roads.
inline constexpr std::int64_t cover_shares = 2;
/// Sources that a condition can tell apart, at most.
inline constexpr std::int64_t most_sources = 64;

/// Numbers, K, by which nets are told what is asked: one for each share of cover, or each of
/// `sources`.
[[nodiscard]] constexpr std::int64_t condition_numbers(ConditionKind kind, std::int64_t sources) {
    if (kind == ConditionKind::cover) return cover_shares;
    return kind == ConditionKind::source ? sources : 0;
}

}  // namespace civitas
