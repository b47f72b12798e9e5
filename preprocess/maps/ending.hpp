#pragma once
/// Dates at which objects end, as maps write them.
#include <chrono>
#include <optional>
#include <string_view>

namespace civitas::maps {

/// The day that a text begins with, whatever time follows: 2024-01-31T12:00:00Z, 2024/01/31 (as
/// GDAL writes dates), 20240131. Nothing where there is none in the calendar.
[[nodiscard]] std::optional<std::chrono::sys_days> day_in(std::string_view text);

/// True for a date before that day: one far ahead (9999-12-31) says that there is no end yet. What
/// is no date has come, an empty text has not.
[[nodiscard]] bool has_come(std::string_view end, std::chrono::sys_days day);

}  // namespace civitas::maps
