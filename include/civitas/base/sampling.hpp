#pragma once
/// What a run takes of a store's tiles beside their pixels: how they are turned, and what they are.
#include <string_view>

namespace civitas {

/// The symmetries of the square that samples are drawn from: `all` 8, as maps have no side that is
/// up; `flip`, left-right alone, as photographs have; `none`.
enum class Symmetries { all, flip, none };

[[nodiscard]] Symmetries parse_symmetries(std::string_view name);  ///< throws UsageError
[[nodiscard]] std::string_view to_string(Symmetries symmetries);

/// Where the class of a tile comes from: `stored`, the store's own labels; `source`, the map that
/// the tile was cut from.
enum class LabelSource { stored, source };

[[nodiscard]] LabelSource parse_label_source(std::string_view name);  ///< throws UsageError
[[nodiscard]] std::string_view to_string(LabelSource source);

}  // namespace civitas
