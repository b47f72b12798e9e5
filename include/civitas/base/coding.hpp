#pragma once
/// What the channels of a coded tile mean.
#include <string_view>

namespace civitas {

/// `colour`: channels building, road, other, each -1 or +1; `grey`: one channel, other -1, road 0,
/// building +1.
enum class Coding { colour, grey };

[[nodiscard]] Coding parse_coding(std::string_view name);  ///< throws UsageError
[[nodiscard]] std::string_view to_string(Coding coding);
[[nodiscard]] constexpr int channels_of(Coding coding) { return coding == Coding::colour ? 3 : 1; }

}  // namespace civitas
