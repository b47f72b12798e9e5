#pragma once
/// Lines of JSON that are each of a step.
#include <cstdint>
#include <optional>
#include <string>

namespace civitas::report {

/// The step that a line tells of; nothing when the line is torn or no such object.
[[nodiscard]] std::optional<std::int64_t> step_of(const std::string& line);

}  // namespace civitas::report
