#pragma once
/// Where lies what only the optimizer needs.
#include <cstdint>
#include <string_view>

namespace civitas {

/// Where a rank keeps the moments of Adam, the mean of the weights, and the master weights wherever
/// they are apart from those that layers compute with: with the rest, in host memory, or in a file
/// on a disk. Where ranks compute on CPUs `host` is `none`.
enum class Offload { none, host, disk };

[[nodiscard]] Offload parse_offload(std::string_view name);  ///< throws UsageError
[[nodiscard]] std::string_view to_string(Offload offload);
/// `in host memory`, `on a disk`; `in memory` where nothing is offloaded.
[[nodiscard]] std::string_view place_of(Offload offload);

/// Bytes of an offloaded array that are in the memory that computes at a time.
inline constexpr std::int64_t offload_window_bytes = std::int64_t{1} << 24;

}  // namespace civitas
