#pragma once
/// Bounds of the numbers that options take.
#include <cstdint>

namespace civitas {

/// Throws UsageError with the bounds for a value of `--option` that is out of them.
void require_range(const char* option, double value, double least, double most);
/// The same in whole numbers, also in the message.
void require_range(const char* option, std::int64_t value, std::int64_t least, std::int64_t most);

}  // namespace civitas
